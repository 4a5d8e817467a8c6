import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { counting, formsOf, spoken } from "../../console/src/words/counting";
import { en } from "../../console/src/words/en";
import { loadFirstWords, loadPageWords } from "../../console/src/words/languages";

const languages = Object.keys(formsOf) as (keyof typeof formsOf)[];

/** What English texts are given besides counts: nothing of it decides about the form of a word. */
const uncounted = new Set([
  ...["what", "name", "variant", "email", "domain", "project", "browser", "field", "fields", "filter", "people", "who"],
  ...["time", "at", "length", "size", "most", "rate", "percent", "low", "high", "used"],
  // Parts of a whole, and figures that stand alone.
  ...["part", "whole", "all", "amount", "bounced", "complained", "opened", "clicked"],
  // Texts that are made of counted ones.
  ...["sent", "delivered", "changed", "unchanged"],
]);

function* textsIn(words: object, path = ""): Generator<[path: string, text: (...given: unknown[]) => string]> {
  for (const [key, value] of Object.entries(words)) {
    if (typeof value === "function") yield [`${path}${key}`, value];
    else if (typeof value === "object" && value !== null) yield* textsIn(value, `${path}${key}.`);
  }
}

describe("texts about a number of things", () => {
  it.each(languages)("have the forms that %s has", (language) => {
    const { pluralCategories } = new Intl.PluralRules(spoken[language]).resolvedOptions();
    expect([...formsOf[language]].toSorted()).toEqual(pluralCategories.toSorted());
  });

  it("are counted, so that each language has to have its forms of them", () => {
    const folder = join(import.meta.dirname, "../../console/src/words");
    const files = ["en.ts", ...readdirSync(join(folder, "en")).map((file) => `en/${file}`)];
    const found = files.flatMap((file) => {
      const source = readFileSync(join(folder, file), "utf8");
      return [...source.matchAll(/(\w+): (?:string|number|boolean)\b/g)].map(([, name = ""]) => name);
    });
    expect(found.length).toBeGreaterThan(40);
    expect(found.filter((name) => !uncounted.has(name))).toEqual([]);
  });

  it.each(languages)("are whole in %s for each number", async (language) => {
    const words = { ...((await loadFirstWords(language)) ?? en), ...(await loadPageWords(language)) };
    for (const [path, text] of textsIn(words)) {
      for (const value of [0, 1, 2, 1_000_000]) {
        const isCounted = text({ value, text: "§" }).includes("[object") === false;
        if (isCounted) expect(text({ value, text: "§" }, "§"), path).not.toMatch(/undefined|NaN|^\s*$/);
      }
    }
    const people = (value: number) => words.people.count({ value, text: `${value}` });
    expect(people(1)).not.toBe(people(2).replace("2", "1"));
  });

  it("fall back to the general form where a browser knows fewer", async () => {
    const { people } = await loadPageWords("es");
    expect([1, 7, 1_000_000].map((value) => people.count({ value, text: `${value}` }))).toEqual([
      ...["1 persona", "7 personas", "1000000 de personas"],
    ]);
    const all = counting("en")<[all: string]>({
      one: (out, of) => `${out}/${of}`,
      other: (out, of) => `${out}s/${of}`,
    });
    expect([all({ value: 1, text: "1" }, "2"), all({ value: 0, text: "0" }, "2")]).toEqual(["1/2", "0s/2"]);
  });

  it.each(languages.filter((language) => language !== "en"))(
    "are not English where %s has words of its own",
    async (language) => {
      const own = new Map(plainTexts({ ...(await loadFirstWords(language)), ...(await loadPageWords(language)) }));
      const same = [...plainTexts({ ...en, ...(await loadPageWords("en")) })].filter(
        ([path, text]) => own.get(path) === text,
      );
      // Names, examples, and words that the language shares.
      expect(same.filter(([, text]) => /[a-z] [a-z]/i.test(text))).toEqual([]);
      expect(same.length).toBeLessThan(45);
    },
  );
});

function* plainTexts(words: object, path = ""): Generator<[path: string, text: string]> {
  for (const [key, value] of Object.entries(words)) {
    if (typeof value === "string") yield [`${path}${key}`, value];
    else if (typeof value === "object" && value !== null) yield* plainTexts(value, `${path}${key}.`);
  }
}
