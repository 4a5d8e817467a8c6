/** Returns the form of a name for files and keys: `What's new?` is `whats-new`. */
export function slugOf(name: string, otherwise: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f']/g, "")
    .toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return slug.slice(0, 60) || otherwise;
}

/** Returns the first of `name`, `name-2`, `name-3` … that is not taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}
