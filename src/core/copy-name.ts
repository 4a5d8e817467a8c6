import { maxNameLength } from "./name";

const mark = " (Copy)";

/** Returns the name of a copy, cut to the limit. */
export function copyName(name: string): string {
  // The cut must not leave half a surrogate pair.
  return `${name.slice(0, maxNameLength - mark.length).replace(/[\ud800-\udbff]$/, "")}${mark}`;
}
