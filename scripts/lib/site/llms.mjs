import { addressOf } from "./links.mjs";

/** Returns llms.txt in the form of llmstxt.org: a description, and links to every page as Markdown. */
export function llmsText(pages, sections) {
  const [home] = pages;
  const [, summary = ""] = /^# .+\n\n([\s\S]+?)\n\n/.exec(home.source) ?? [];
  const lists = sections.map(({ title, entries }) => {
    const links = entries.map((entry) => `- [${entry.title}](${addressOf(entry.page, ".md")}): ${entry.summary}`);
    return `## ${title}\n\n${links.join("\n")}\n`;
  });
  return `# Petrel

> ${summary.replaceAll("\n", " ")}

Every page of the documents is Markdown at its address with \`.md\`, also by \`Accept: text/markdown\`. Calls need a key:
\`Authorization: Bearer sk_…\`. Every error says what to do next.

${lists.join("\n")}
## API

- [Reference](/docs/reference.md): every operation with an example
- [OpenAPI document](/openapi.json): every operation with its fields, answers, errors and an example
`;
}
