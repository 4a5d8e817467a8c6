import { parseDocument, stringify } from "yaml";
import { Refusal } from "./command";

/** A text file with fields between two lines of dashes at the top. */
export interface FrontMatter {
  fields: Record<string, unknown>;
  body: string;
}

const fence = /^---[ \t]*\n((?:[\s\S]*?\n)?)---[ \t]*(?:\n|$)/;

/** Throws Refusal with the line of the fault. */
export function readFrontMatter(text: string, file: string): FrontMatter {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const found = fence.exec(plain);
  if (!found) throw new Refusal(`${file}:1: begins with no front matter, which is fields between two lines of ---`);
  const [all, yaml = ""] = found;
  return { fields: readYaml(yaml, file, 1), body: plain.slice(all.length).replace(/^\n/, "") };
}

export function writeFrontMatter({ fields, body }: FrontMatter): string {
  return `---\n${writeYaml(fields)}---\n\n${body}`;
}

/** Returns the mapping in a YAML text, which begins after some lines of its file. Throws Refusal. */
export function readYaml(text: string, file: string, linesBefore = 0): Record<string, unknown> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const line = (error.linePos?.[0].line ?? 1) + linesBefore;
    throw new Refusal(`${file}:${line}: ${error.message.split("\n")[0]?.replace(/ at line .*$/, "")}`);
  }
  const value: unknown = document.toJS() ?? {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal(`${file}:${linesBefore + 1}: needs fields, such as name: Welcome`);
  return { ...value };
}

export function writeYaml(fields: Record<string, unknown>): string {
  return stringify(fields, { lineWidth: 0 });
}
