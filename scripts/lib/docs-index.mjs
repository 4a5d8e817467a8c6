import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readPages } from "./site/outline.mjs";

/**
 * Writes the sections of the documents as JSON, from which `POST /mcp` answers questions about them. Nothing is written
 * when the documents have not changed, because a Worker that runs reloads when a file is written.
 */
export function writeDocsIndex(file) {
  const json = JSON.stringify(readPages().flatMap(sectionsOf));
  if (!existsSync(file) || readFileSync(file, "utf8") !== json) writeFileSync(file, json);
}

/** One section for each heading of a page. Lines of a code block that begin with # are no headings. */
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
