/** The segment's name in the names of its events. If the slug is taken, a number is added. Topics have slugs too. */
export function slugOf(name: string, whenNothingIsLeft = "segment"): string {
  const slug = name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s-]/gu, "")
    .replace(/[\s-]+/g, "-")
    .replace(/^-|-$/g, "");
  return slug === "" ? whenNothingIsLeft : slug;
}

/** The names of a segment's entry and exit events. */
export function membershipEvents({ slug }: { slug: string }): { entry: string; exit: string } {
  return { entry: `segment.${slug}.entry`, exit: `segment.${slug}.exit` };
}
