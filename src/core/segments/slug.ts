/**
 * Returns a slug for the name of a segment or a topic. The names of a segment's events contain its slug. When the slug
 * is taken, the insert adds a number.
 */
export function slugOf(name: string, whenNothingIsLeft = "segment"): string {
  const slug = name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s-]/gu, "")
    .replace(/[\s-]+/g, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? whenNothingIsLeft : slug;
}

/** Returns the names of a segment's entry and exit events. */
export function membershipEvents({ slug }: { slug: string }): { entry: string; exit: string } {
  return { entry: `segment.${slug}.entry`, exit: `segment.${slug}.exit` };
}
