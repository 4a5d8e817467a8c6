import type { Answer } from "../project";

/** A call that people of other email APIs make, and what a good answer to it contains, word for word. */
export interface Mistake {
  call: string;
  body?: unknown;
  /** A key other than the project's secret one, or other headers. */
  headers?: Record<string, string>;
  /** The field, header or thing that is wrong. */
  names: string;
  /** The value that was sent, or what was found in its place: never the name again. */
  saw: string;
  /** The advice: what to do instead. */
  says: string;
}

/** Whether an answer that only repeats a name, or what it saw, has no other of the three parts by that. */
export function isDistinct({ names, saw, says }: Mistake): boolean {
  const [name = "", seen = "", advice = ""] = [names, saw, says].map((part) => part.replaceAll('"', ""));
  return !name.includes(seen) && !name.includes(advice) && !seen.includes(advice);
}

/**
 * A: the answer has all three, each in a place of its own. B: two of them. C: fewer. D: the call went through, and the
 * answer names the thing. F: it went through without a word.
 */
export function gradeOf({ status, headers, body }: Answer, { names, saw, says }: Mistake): "A" | "B" | "C" | "D" | "F" {
  const told = `${JSON.stringify(body)} ${headers.get("Allow") ?? ""}`.replaceAll('\\"', '"');
  if (status < 300) return JSON.stringify(body.warnings ?? "").includes(names) ? "D" : "F";
  let rest = told;
  const isTold = (words: string) => {
    if (!rest.includes(words)) return false;
    // The same words count once.
    rest = rest.replace(words, () => "\n");
    return true;
  };
  const found = [says, saw, names].filter(isTold).length;
  return found === 3 ? "A" : found === 2 ? "B" : "C";
}
