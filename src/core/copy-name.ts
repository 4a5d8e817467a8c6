const mark = " (Copy)";

/** The name of a copy, cut so that it keeps to the limit. */
export function copyName(name: string, maxLength: number): string {
  // Half of a surrogate pair is no character.
  return `${name.slice(0, maxLength - mark.length).replace(/[\ud800-\udbff]$/, "")}${mark}`;
}
