import type { House, Rule } from "./floors";

/** Openings that make a sentence read twice: a relative clause or a pronoun as its subject, or a fronted preposition. */
const openings =
  /(?:^|[.:;!?] )(?:Who|Whoever|Whom|What|Nobody|Somebody|Those (?:who|that|of)|One (?:that|which|with)|Of|By|With|So many|So long|So much)\b/;

/** Words for which the trade has a plainer one. */
const words: [RegExp, string][] = [
  [/\banew\b/i, "again"],
  [/\bwhoever\b/i, "the caller, the consumer …"],
  [/\bbeside\b/i, "next to, in addition to"],
  [/\bso (?:many|long|much)\b/i, "at most N, for N seconds"],
  [/\bas of\b/i, "at, since"],
  [/\bany more\b/i, "no longer"],
  [/\bgo(?:es)? on\b/i, "continues"],
  // A mail server or a mail step is a thing of its own.
  [/\b(?:a|one|each|every|this|another|per) mail\b(?! (?:provider|server|program|account|step|scanner)s?\b)/i, "email"],
];

export const commentsReadOnce: Rule = (house) =>
  [...house].flatMap(([file, text]) =>
    /\.(?:tsx?|mjs)$/.test(file)
      ? commentsOf(text).flatMap(({ line, said }) => {
          const opening = openings.exec(said);
          const word = words.find(([pattern]) => pattern.test(said));
          if (opening) return [`${file}:${line} begins a sentence with "${opening[0].replace(/^[.:;!?] /, "")}"`];
          return word ? [`${file}:${line} says "${word[0].exec(said)?.[0]}": write ${word[1]}`] : [];
        })
      : [],
  );

/** Pages of documentation use the same plain words. Code in a page is left out. */
export const pagesReadOnce: Rule = (house) =>
  [...house].flatMap(([file, text]) => {
    let isCode = false;
    return text.split("\n").flatMap((line, index) => {
      if (line.trimStart().startsWith("```")) isCode = !isCode;
      const word = isCode ? undefined : words.find(([pattern]) => pattern.test(line.replace(/`[^`]*`/g, "")));
      return word && file.endsWith(".md") ? [`${file}:${index + 1}: write ${word[1]}`] : [];
    });
  });

/** How the comment of a function may begin: with a verb, or with what stands for one. */
const functionOpening = /^(?:[A-Z][a-z]*s(?:,|:)? |Whether |Must |Called |Like |Front door \d|`)/;

export const functionsSayWhatTheyDo: Rule = (house) =>
  [...house].flatMap(([file, text]) =>
    [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?function (\w+)/g)].flatMap(
      ([, comment = "", name]) => {
        const said = comment.replace(/\n \*/g, " ").trim();
        return functionOpening.test(said) ? [] : [`${file}: the comment of ${name} begins with "${said.slice(0, 30)}"`];
      },
    ),
  );

interface Comment {
  line: number;
  said: string;
}

/** The comments of a file, each on one line. Consecutive lines of `//` are one. */
export function commentsOf(text: string): Comment[] {
  const comments: Comment[] = [];
  let isOpen: "block" | "lines" | null = null;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    const says = (said: string) => comments.push({ line: index + 1, said: said.trim() });
    const goesOn = (more: string) => {
      const last = comments.at(-1);
      if (last) last.said = `${last.said} ${more.trim()}`.trim();
    };
    if (isOpen === "block") {
      goesOn(line.replace(/^\*(?!\/)\s?/, "").replace(/\*\/$/, ""));
      if (line.endsWith("*/")) isOpen = null;
    } else if (line.startsWith("/*")) {
      says(line.replace(/^\/\*+\s?/, "").replace(/\*\/$/, ""));
      isOpen = line.endsWith("*/") ? null : "block";
    } else if (line.startsWith("//")) {
      if (isOpen === "lines") goesOn(line.slice(2));
      else says(line.slice(2));
      isOpen = "lines";
    } else {
      isOpen = null;
      const trailing = /[;,{(\s]\/\/ (.*)$/.exec(raw);
      if (trailing?.[1] !== undefined && !/["'`][^"'`]*\/\/ .*["'`]/.test(raw)) says(trailing[1]);
    }
  }
  return comments;
}

const floorsOfTypes = [/^src\/core\//, /^src\/(db|platform)\//, /^src\/(http|engine)\//, /^src\/features\//];

/** A name of a type that is exported twice on a floor is looked up twice. */
export const typesAreNamedOnce: Rule = (house) =>
  floorsOfTypes.flatMap((floor) => {
    const files = Map.groupBy(exportedTypes(house, floor), ({ name }) => name);
    return [...files]
      .filter(([, where]) => where.length > 1)
      .map(([name, where]) => `${name} is exported by ${where.map(({ file }) => file).join(" and ")}`);
  });

function exportedTypes(house: House, floor: RegExp): { name: string; file: string }[] {
  return [...house]
    .filter(([file]) => floor.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = ""]) => ({ name, file })),
    );
}
