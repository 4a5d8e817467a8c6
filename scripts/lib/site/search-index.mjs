/** Returns the sections of the documents as JSON, in which `POST /mcp` searches. */
export function searchIndexOf(pages) {
  return JSON.stringify(pages.flatMap(sectionsOf));
}

/** Returns one section for each heading of a page. Lines of a code block that begin with # are not headings. */
function sectionsOf({ name, source, title }) {
  const sections = [];
  let isCode = false;
  for (const line of source.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, heading] = (!isCode && /^#{1,4} (.+)$/.exec(line)) || [];
    if (heading !== undefined) sections.push({ page: `/docs/${name}.md`, title, heading, text: "" });
    else if (sections.length > 0) sections.at(-1).text += `${line}\n`;
  }
  return sections.map((section) => ({ ...section, text: section.text.trim() })).filter(({ text }) => text !== "");
}
