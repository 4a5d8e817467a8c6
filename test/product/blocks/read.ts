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
  for (let place = 0; place < lines.length; place++) {
    const [, indent, language = "", about = ""] = /^( *)```(\S*) ?(.*)$/.exec(lines[place] ?? "") ?? [];
    if (indent === undefined) continue;
    const end = lines.findIndex((line, at) => at > place && line === `${indent}\`\`\``);
    if (end === -1) throw new Error(`The block in line ${place + 1} has no end`);
    const code = lines.slice(place + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ line: place + 2, language, about, code: `${code.join("\n")}\n` });
    place = end;
  }
  return blocks;
}
