import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commentsReadOnce, functionsSayWhatTheyDo, pagesReadOnce, typesAreNamedOnce } from "./english";
import type { House, Rule } from "./floors";

const top = fileURLToPath(new URL("../..", import.meta.url).href);

function filesIn(folder: string): House {
  const names = readdirSync(join(top, folder), { recursive: true, encoding: "utf8" });
  const files = names
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(top, file), "utf8")]));
}

const house = filesIn("src");

const of = (files: Record<string, string>): House => new Map(Object.entries(files));

interface Promised {
  promise: string;
  rule: Rule;
  /** Each breaks the rule once. */
  planted: Record<string, string>[];
  allowed: Record<string, string>[];
}

const rules: Promised[] = [
  {
    promise: "a comment is read once",
    rule: commentsReadOnce,
    planted: [
      { "src/a.ts": "/** What it does. */" },
      { "src/a.ts": "// Whoever comes first is first." },
      { "src/a.ts": "/**\n * Returns a name.\n * Nobody reads it.\n */" },
      { "src/a.ts": "const a = 1; // Of the first row." },
      { "src/a.ts": "// The count begins\n// anew." },
      { "src/a.ts": "/** A name beside it. */" },
      { "src/a.ts": "/** Waits for so long. */" },
      { "src/a.tsx": "// One that is late is dropped." },
      { "src/a.mjs": "// The job goes on." },
      { "src/a.ts": "// No step reads it any more." },
      { "src/a.ts": "// Sends a mail to each contact." },
    ],
    allowed: [
      { "src/a.ts": '/** Returns what the caller asked for, and who asked. */\nconst a = "Whoever // What";' },
      { "src/a.ts": "// Sends the mail. A mail server without a name fails." },
      { "src/a.ts": 'const url = "https://x.example/a"; const b = `// What`;' },
    ],
  },
  {
    promise: "a page is read once",
    rule: pagesReadOnce,
    planted: [
      { "docs/a.md": "# A\n\nThe work goes on after the answer." },
      { "docs/a.md": "```sh\nnpm start\n```\n\nIt is loaded anew." },
    ],
    allowed: [{ "docs/a.md": "The word `anew` is code.\n\n```sh\ncurl beside\n```" }],
  },
  {
    promise: "the comment of an exported function begins with a verb",
    rule: functionsSayWhatTheyDo,
    planted: [
      { "src/a.ts": "/** The name of a contact. */\nexport function nameOf() {}" },
      { "src/a.ts": "/**\n * A name\n * of a contact.\n */\nexport async function nameOf() {}" },
    ],
    allowed: [
      { "src/a.ts": "/** Returns the name of a contact. */\nexport function nameOf() {}" },
      { "src/a.ts": "/** Whether a contact has a name. */\nexport async function hasName() {}" },
      { "src/a.ts": "/** A name. */\nexport const name = 1;\n\nexport function nameOf() {}" },
      { "src/a.ts": "/** A contact without a name has none. */\nfunction nameOf() {}" },
    ],
  },
  {
    promise: "a type has a name of its own on its floor",
    rule: typesAreNamedOnce,
    planted: [
      { "src/core/a.ts": "export type State = 1;", "src/core/b/c.ts": "export interface State {}" },
      { "src/db/a.ts": "export type State = 1;", "src/platform/c.ts": "export type State = 2;" },
    ],
    allowed: [
      { "src/core/a.ts": "export type State = 1;", "src/db/b.ts": "export type State = 2;" },
      { "src/core/a.ts": "export type State = 1;", "src/core/b.ts": "type State = 2;" },
    ],
  },
];

describe.each(rules)("$promise", ({ rule, planted, allowed }) => {
  it("holds today", () => {
    expect(rule(house)).toEqual([]);
  });

  it.each(planted.map((files) => [files]))("finds what is planted: %j", (files) => {
    expect(rule(of(files))).toHaveLength(1);
  });

  it.each(allowed.map((files) => [files]))("allows %j", (files) => {
    expect(rule(of(files))).toEqual([]);
  });
});

const otherFolders = [
  ...["clients/browser", "clients/cli/src", "clients/node/src", "clients/node/test", "clients/site"],
  ...["console", "scripts", "bench"],
];

const pages = readdirSync(join(top, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []));
const readmes = ["README.md", "CONTRIBUTING.md", "src/README.md", "console/README.md", "clients/node/README.md"];

it("a page of documentation is read once", () => {
  const read = [...pages, ...readmes].map((file) => [file, readFileSync(join(top, file), "utf8")] as const);
  expect(read.length).toBeGreaterThan(30);
  expect(pagesReadOnce(new Map(read))).toEqual([]);
});

it.each(otherFolders)("a comment in %s is read once", (folder) => {
  const written = [...filesIn(folder)].filter(([file]) => !file.includes("/generated/"));
  expect(commentsReadOnce(new Map(written))).toEqual([]);
});
