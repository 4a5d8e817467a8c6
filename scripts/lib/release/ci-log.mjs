import { readFileSync } from "node:fs";

const howToGet = "Give the file, or the address of the text, that .ci/run has printed.";

/**
 * Says what is wrong with the log of CI that is to stand for the suite: it must be what `.ci/run` prints of this commit,
 * with no failure at its end. `where` is a file, or an address that answers with the text.
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
  // A service may put the time before each line.
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
