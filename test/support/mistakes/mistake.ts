import type { Answer } from "../project";

/** A call that people of other email APIs make, and what a good answer to it contains, word for word. */
export interface Mistake {
  call: string;
  body?: unknown;
  /** A key other than the project's secret one, or other headers. */
  headers?: Record<string, string>;
  /** The field, header or thing that is wrong. */
  names: string;
  /** What was sent or found. */
  saw: string;
  /** What to do instead. */
  says: string;
}

/**
 * A: the answer has all three. B: two of them. C: fewer. D: the call went through, and the answer names the thing. F: it
 * went through without a word.
 */
export function gradeOf({ status, headers, body }: Answer, { names, saw, says }: Mistake): "A" | "B" | "C" | "D" | "F" {
  const told = `${JSON.stringify(body)} ${headers.get("Allow") ?? ""}`.replaceAll('\\"', '"');
  if (status < 300) return JSON.stringify(body.warnings ?? "").includes(names) ? "D" : "F";
  const found = [names, saw, says].filter((words) => told.includes(words)).length;
  return found === 3 ? "A" : found === 2 ? "B" : "C";
}
