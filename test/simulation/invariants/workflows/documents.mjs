/** Clocks of machines differ, and what was read a moment ago is acted upon. */
export const slackMs = 10_000;

const trigger = "trigger";

/**
 * Returns the documents that a workflow may have had between two times. Each was put by a call, whose effect came at some
 * time between its beginning (`from`) and its answer (`until`), if one came.
 */
export function possibleDocuments(documents, from, to) {
  const isBefore = (a, b) => a.until < b.from;
  return documents
    .filter((one) => one.from <= to + slackMs)
    .filter((one) => !documents.some((later) => later.until < from - slackMs && isBefore(one, later)))
    .map(({ document }) => document);
}

/** The step of a document by its key; null if it has none. */
export function stepOf(document, key) {
  return document.steps.find((step) => step.key === key) ?? null;
}

/** The key that follows a step by a branch: the branch's own way, else the way without one. Null for the end. */
export function nextOf(document, key, branch) {
  const ways = document.transitions.filter(({ from }) => from === key);
  const own = ways.find((way) => way.branch === branch && branch !== null);
  return (own ?? ways.find((way) => way.branch === undefined))?.to ?? null;
}

/** The key of a step by its record. */
export function keyOf({ type, name }) {
  return type === "TRIGGER" ? trigger : name;
}
