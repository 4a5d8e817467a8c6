/** A block of code in a page. */
export interface Block {
  /** The line of the page on which its code begins. */
  line: number;
  language: string;
  /** What stands behind the language, for us alone: readers of the page do not see it. */
  about: string;
  code: string;
}

/** Finds the blocks of a page, also those of list items. */
export function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  const lines = source.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const [, indent, language = "", about = ""] = /^( *)```(\S*) ?(.*)$/.exec(lines[index] ?? "") ?? [];
    if (indent === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line === `${indent}\`\`\``);
    if (end === -1) throw new Error(`The block in line ${index + 1} has no end`);
    const code = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ line: index + 2, language, about, code: `${code.join("\n")}\n` });
    index = end;
  }
  return blocks;
}
