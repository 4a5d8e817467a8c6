import { readFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { readPages } from "../../scripts/lib/site/outline.mjs";
import { type Block, blocksOf } from "./blocks/read";
import { maxPageMs, runBlocks } from "./blocks/run";
import { isVerifier, stepOf } from "./blocks/steps";
import { isInstalled, judge } from "./blocks/verifiers";

const product = inject("product");

interface Page {
  name: string;
  blocks: Block[];
}

// The tests of the client and of the command line run those of their READMEs, with their packages.
const ofDocs = readPages().filter(({ name }) => !["client", "cli"].includes(name));
const pages: Page[] = [{ name: "readme", source: readFileSync("README.md", "utf8") }, ...ofDocs].map(
  ({ name, source }) => ({ name, blocks: blocksOf(source) }),
);

describe("every block of code", () => {
  const withBlocks = pages.filter(({ blocks }) => blocks.length > 0);
  it.concurrent.each(withBlocks)("of $name does what it says", { timeout: maxPageMs + 5_000 }, async (page) => {
    await runBlocks(page.name, page.blocks, product);
  });

  it("is checked: a block of another language is an error, and so is text that nobody prints", () => {
    const place = { number: 0, before: undefined };
    const block = (language: string, about = "", code = "") => ({ line: 1, language, about, code });
    expect(() => stepOf(block("ruby"), place)).toThrow('nobody checks blocks of "ruby"');
    expect(() => stepOf(block(""), place)).toThrow("nobody checks");
    expect(() => stepOf(block("go"), place)).toThrow("nobody checks");
    expect(() => stepOf(block("text"), place)).toThrow("nothing prints");
    expect(() => stepOf(block("json", "", "{}"), place)).toThrow("neither sent nor answered");
    expect(() => stepOf(block("sh", "", "npm run nothing"), place)).toThrow("no npm script nothing");
    expect(() => stepOf(block("sh", "", "npm test # all"), place)).toThrow("a comment stands behind a command");
    expect(() => stepOf(block("toml", "", '[vars]\nPORTT = "1"'), place)).toThrow("no setting is called PORTT");
  });

  it.concurrent.each([
    ["a call that is refused", [["sh", "curl $BASE/nothing"]], "fails: 401"],
    [
      "an answer that is another",
      [
        ["sh", "curl $BASE/health"],
        ["json", '{ "status": "away" }'],
      ],
      'status is "ok"',
    ],
    [
      "an output that is another",
      [
        ["js", "console.log(1)"],
        ["text", "2"],
      ],
      "It printed:",
    ],
    ["a program that fails", [["js", "nobody()"]], "nobody is not defined"],
    ["a template that fails", [["liquid", "{{ name | nothing }}"]], "nothing"],
    ["an answer without the value", [["sh", "curl $BASE/health\nID=…"]], "has no id"],
  ])("fails for %s", async (title, given, fault) => {
    const blocks = given.map(([language = "", code = ""]) => ({ line: 7, language, about: "", code: `${code}\n` }));
    const name = title.replaceAll(" ", "-");
    await expect(runBlocks(name, blocks, product)).rejects.toThrow(fault);
    await expect(runBlocks(`${name}-again`, blocks, product)).rejects.toThrow("The block of line 7 fails");
  });
});

// Where a language is not installed, its verifiers are not checked at all, and shown as skipped.
const verifiers = pages.flatMap(({ name, blocks }) => blocks.filter(isVerifier).map((block) => ({ name, block })));
const unchecked = verifiers.filter(({ block }) => !isInstalled(block.language));
if (unchecked.length > 0) {
  const missing = unchecked.map(({ block }) => block.language).join(", ");
  console.log(`${unchecked.length} of ${verifiers.length} verifiers are skipped: not installed here is ${missing}.`);
}
for (const verifier of verifiers) {
  const { name, block } = verifier;
  it.skipIf(unchecked.includes(verifier))(`the verifier of ${name} in ${block.language} knows our calls`, async () => {
    const { said, right } = await judge(block);
    expect(said).toEqual(right);
  });
}
