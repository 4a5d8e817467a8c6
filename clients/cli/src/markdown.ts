import markdownIt from "markdown-it";

const liquid = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
const markdown = markdownIt({ html: true });

/**
 * Returns the HTML of a Markdown body. Liquid stays unchanged, even in links, and a tag alone in its paragraph gets no
 * paragraph element.
 */
export function htmlOf(source: string): string {
  const tags: string[] = [];
  // A word that Markdown and addresses leave unchanged, and that the source does not contain.
  let word = "liquidtag";
  while (source.includes(word)) word += "x";
  const text = source.replace(liquid, (tag) => `${word}${tags.push(tag) - 1}z`);
  const html = markdown.render(text);
  const alone = new RegExp(`<p>((?:\\s*${word}\\d+z\\s*)+)</p>`, "g");
  const unwrapped = html.replace(alone, (whole, inside: string) => {
    const isLogic = [...inside.matchAll(/(\d+)z/g)].every(([, at]) => tags[Number(at)]?.startsWith("{%"));
    return isLogic ? inside : whole;
  });
  return unwrapped.replace(new RegExp(`${word}(\\d+)z`, "g"), (_, at) => tags[Number(at)] ?? "");
}
