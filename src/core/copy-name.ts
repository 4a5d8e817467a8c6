const mark = " (Copy)";

/** The name of a copy, cut to the limit. */
export function copyName(name: string, maxLength: number): string {
  // The cut must not leave half of a surrogate pair.
  return `${name.slice(0, maxLength - mark.length).replace(/[\ud800-\udbff]$/, "")}${mark}`;
}
