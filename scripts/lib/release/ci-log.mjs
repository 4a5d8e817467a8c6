import { readFileSync } from "node:fs";

const howToGet = "Give the file, or the address of the text, that .ci/run has printed.";

/**
 * Returns what is wrong with a CI log that is to replace a run of the suite: it must be the output of `.ci/run` for
 * this commit, without a failure at its end. `where` is a file, or an address that returns the text.
 */
export async function ciLogFaults(where, { git }) {
  let text;
  try {
    text = await read(where);
  } catch (error) {
    return [`${where} cannot be read (${error.message}). ${howToGet}`];
  }
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  const own = git("rev-parse", "HEAD");
  // A service may prefix each line with the time.
  const tested = lines.map((line) => line.match(/(?:^|\s)commit ([0-9a-f]{40})( with changes)?$/)).find(Boolean);
  const end = lines.findLast((line) => line !== "")?.match(/(?:^|\s)(\d+) passed, (\d+) failed$/);
  if (!tested || !end) return [`${where} is no whole log of CI. ${howToGet}`];
  const [, commit, changes] = tested;
  const [, passed, failed] = end.map(Number);
  return [
    ...(commit === own ? [] : [`The log is of the commit ${commit}, and this is ${own}. Run CI on this commit.`]),
    ...(changes ? ["The working tree of that run had changes. Run CI on the commit alone."] : []),
    ...(failed === 0 && passed > 0 ? [] : [`The run ends with ${passed} passed, ${failed} failed. Mend these first.`]),
  ];
}

async function read(where) {
  if (!/^https?:\/\//.test(where)) return readFileSync(where, "utf8");
  const response = await fetch(where, { signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  return response.text();
}
