/** A part of the documentation below one heading. */
export interface Section {
  /**
   * The address of the page in this installation, such as `/docs/campaigns.md`. A section about an operation has the
   * address of the document that describes the operation.
   */
  page: string;
  /** The title of the page. */
  title: string;
  heading: string;
  text: string;
}

/** Words that are too common to tell sections apart. */
const stopWords = new Set(
  "a an and are as at be by can do does for from how i if in is it my of on or our that the this to we what when where which with you your".split(
    " ",
  ),
);

/** Returns the words of a text in the form in which they are compared: lower case, without a plural s. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !stopWords.has(word)).map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

/** A section with its words counted. */
interface Counted {
  section: Section;
  counts: Map<string, number>;
  headingWords: Set<string>;
  length: number;
}

/** Sections prepared for a search. `spread` is the number of sections that contain a word. */
export interface Searchable {
  sections: Counted[];
  spread: Map<string, number>;
  meanLength: number;
}

export function makeSearchable(sections: Section[]): Searchable {
  const counted = sections.map((section): Counted => {
    const words = wordsOf(`${section.heading} ${section.text}`);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const headingWords = new Set(wordsOf(`${section.title} ${section.heading}`));
    return { section, counts, headingWords, length: words.length };
  });
  const spread = new Map<string, number>();
  for (const { counts } of counted) for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  const total = counted.reduce((sum, { length }) => sum + length, 0);
  return { sections: counted, spread, meanLength: Math.max(1, total / Math.max(1, counted.length)) };
}

/**
 * The usual parameters of BM25: how quickly repeats of a word stop adding to the score, and how much a long section is
 * discounted.
 */
const saturation = 1.2;
const lengthShare = 0.75;
/** A word in the heading or the title counts this many times as much as one in the text. */
const headingBonus = 4;

/** Returns the sections that fit a question best, by BM25, best first. */
export function findSections({ sections, spread, meanLength }: Searchable, question: string, limit: number): Section[] {
  const asked = [...new Set(wordsOf(question))];
  return sections
    .map((counted) => {
      const lengthFactor = 1 - lengthShare + (lengthShare * counted.length) / meanLength;
      const score = asked.reduce((sum, word) => {
        const count = (counted.counts.get(word) ?? 0) + (counted.headingWords.has(word) ? headingBonus : 0);
        const having = spread.get(word) ?? 0;
        const rarity = Math.log(1 + (sections.length - having + 0.5) / (having + 0.5));
        return sum + (rarity * count * (saturation + 1)) / (count + saturation * lengthFactor);
      }, 0);
      return { section: counted.section, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ section }) => section);
}
