/** What a segment is called in the names of its events. Where others have the name too, a number goes behind it. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s-]/gu, "")
    .replace(/[\s-]+/g, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? "segment" : slug;
}

/** The events of who comes into a segment, and of who leaves it. */
export function membershipEvents({ slug }: { slug: string }): { entry: string; exit: string } {
  return { entry: `segment.${slug}.entry`, exit: `segment.${slug}.exit` };
}
