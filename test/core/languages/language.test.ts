import { describe, expect, it } from "vitest";
import { chooseLanguage, dayIn, filledIn, languages, splitAtValues } from "../../../src/core/languages/language";

type Texts = { [key: string]: string | Texts };

/** Each text with its path, in the order of the file. */
function textsOf(words: Texts, path = ""): [string, string][] {
  return Object.entries(words).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[path + key, value]] : textsOf(value, `${path}${key}.`),
  );
}

const placeholdersOf = (text: string) =>
  splitAtValues(text)
    .filter((_, at) => at % 2 === 1)
    .sort();
const english = new Map(textsOf(languages.get("en")?.words ?? {}));

describe("the languages of recipients", () => {
  it("are seven", () => {
    expect([...languages.keys()].sort()).toEqual(["de", "en", "es", "fr", "it", "nl", "pt"]);
  });

  describe.each([...languages])("%s", (tag, { words }) => {
    const texts = textsOf(words);

    it("has each text once, with the same values in it", () => {
      expect(texts.map(([path, text]) => [path, placeholdersOf(text)])).toEqual(
        [...english].map(([path, text]) => [path, placeholdersOf(text)]),
      );
    });

    it("leaves no text empty, in English, or with a character that HTML reads", () => {
      for (const [path, text] of texts) {
        expect(text.trim(), path).toBe(text);
        expect(text, path).toMatch(/\p{L}/u);
        expect(text, path).not.toMatch(/[<>&"'`]| {2}|\.\.\./);
        if (tag !== "en") expect(text, path).not.toBe(english.get(path));
      }
    });

    it("ends a sentence where English does, in its own way", () => {
      for (const [path, text] of texts) {
        const ending = /[.?]$/.exec(text)?.[0] ?? "";
        expect([path, ending]).toEqual([path, /[.?]$/.exec(english.get(path) ?? "")?.[0] ?? ""]);
        // French has a narrow blank before it, Spanish another mark at the beginning.
        if (tag === "fr") expect(text, path).not.toMatch(/[^\u202f]\?|[^\u00a0]:/);
        if (tag === "es") expect(text.split("?").length, path).toBe(text.split("¿").length);
      }
    });

    it("never breaks a line within the word e-mail on a page", () => {
      const onPages = texts.filter(([path]) => !path.startsWith("footer."));
      for (const [path, text] of onPages) expect(text, path).not.toMatch(/\be-mail/i);
    });

    it("writes days as it does", () => {
      expect(Intl.DateTimeFormat.supportedLocalesOf([words.dates])).toEqual([words.dates]);
      expect(words.dates.slice(0, 2)).toBe(tag);
    });
  });
});

describe("the language of a reader", () => {
  it.each<[unknown[], string, string]>([
    [["de"], "", "de"],
    [["de-AT", "fr"], "", "de"],
    [["pt-BR"], "", "pt"],
    [["PT_br"], "", "pt"],
    [[" nl "], "", "nl"],
    [["sv", "fr-CA"], "de", "fr"],
    [[undefined, "en"], "de", "en"],
    [[42, null, { en: 1 }, ["de"]], "", "en"],
    [["constructor", "__proto__", "toString"], "", "en"],
    [["", "-", "deutsch", "english"], "it", "it"],
    [[], "", "en"],
    [[], "sv, da;q=0.9", "en"],
    [[], "*", "en"],
    [[], "de", "de"],
    [[], "sv, fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"],
    [[], "en;q=0.1, es;q=0.9", "es"],
    [[], "de;q=0, it;q=0.5", "it"],
    [[], "de;q=0", "en"],
    [[], "de ; q = 0.2 , nl;q=0.30", "nl"],
    [[], "de;level=1;q=0.2,nl;q=0.3", "nl"],
    [[], "nl, de", "nl"],
    [[], `${"x,".repeat(2_000)}de`, "en"],
  ])("of %j and %j is %s", (locales, accepted, expected) => {
    expect(chooseLanguage(locales, accepted).tag).toBe(expected);
  });
});

describe("a text with values", () => {
  it("takes each value as it is, and none twice", () => {
    expect(filledIn("{a} and {b}, {a}.", { a: "{b}", b: "$&" })).toBe("{b} and $&, {b}.");
    expect(filledIn("{missing}.", {})).toBe(".");
  });

  it.each([
    ["en", "5 January 2031"],
    ["nl", "5 januari 2031"],
    ["de", "5. Januar 2031"],
    ["fr", "5 janvier 2031"],
    ["es", "5 de enero de 2031"],
    ["it", "5 gennaio 2031"],
    ["pt", "5 de janeiro de 2031"],
  ])("writes a day in %s as %s", (tag, expected) => {
    expect(dayIn(chooseLanguage([tag]), Date.UTC(2031, 0, 5, 23, 59))).toBe(expected);
  });
});
