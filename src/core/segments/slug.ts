/**
 * Returns a slug for a name: segments use it in the names of their events, and topics have slugs too. The insert adds a
 * number when the slug is taken.
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
