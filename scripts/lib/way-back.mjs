import { askWrangler } from "./cloudflare.mjs";
import { DEPLOY_CONFIG, databasesIn } from "./installation.mjs";
import { bold, wrapped } from "./screen.mjs";

const MARGIN = "  ";
const DAY = 24 * 60 * 60_000;

/**
 * Notes the Time Travel bookmark of each database that is about to be migrated. `pending` names the migrations of each
 * binding. A bookmark of a deploy that did not finish is kept for a day, because the bookmark before its first
 * migration is the way back; after a day, it would undo too much. If Cloudflare does not return a bookmark, the time is
 * used, and the deploy continues. Returns, by binding, the argument of `wrangler d1 time-travel restore`.
 */
export async function noteBookmarks({ pending }, { notes }, step) {
  const kept = isUnfinished(notes) ? notes.unfinished.filter((binding) => notes[nameOf(binding)]) : [];
  const points = Object.fromEntries(kept.map((binding) => [binding, notes[nameOf(binding)]]));
  for (const [binding, names] of Object.entries(pending)) {
    if (names.length === 0) continue;
    const what = `${binding}, before ${names[0]}`;
    if (points[binding]) step.done("Time Travel", `${binding}, before the deploy that failed`, "kept");
    else points[binding] = await step.run("Time Travel", what, "noted", () => pointOf(binding));
  }
  return points;
}

function isUnfinished({ unfinished = [], unfinished_since }) {
  return unfinished.length > 0 && Date.now() - Date.parse(unfinished_since) < DAY;
}

/** Returns the name under which petrel.toml stores the bookmark of a database. */
function nameOf(binding) {
  return `before_${binding}`;
}

async function pointOf(binding) {
  const now = new Date().toISOString();
  const { code, stdout } = await askWrangler(["d1", "time-travel", "info", binding, "--json"]);
  const bookmark = code === 0 ? bookmarkIn(stdout) : undefined;
  return bookmark ? `--bookmark=${bookmark}` : `--timestamp=${now}`;
}

function bookmarkIn(answer) {
  try {
    return JSON.parse(answer).bookmark;
  } catch {
    return undefined;
  }
}

/**
 * Returns what petrel.toml stores, because a terminal forgets: the bookmark of each database and, until a deploy has
 * finished, since when these bookmarks are the way back.
 */
export function namedPoints(points, notes) {
  const named = Object.entries(points).map(([binding, point]) => [nameOf(binding), point]);
  const unfinished_since = isUnfinished(notes) ? notes.unfinished_since : new Date().toISOString();
  return { ...Object.fromEntries(named), unfinished: Object.keys(points), unfinished_since };
}

/** The note in petrel.toml once the deploy has finished: the next migration gets a bookmark of its own. */
export const allFinished = { unfinished: [] };

/** Describes the way back on a terminal. Printed before the migrations, because one of them may end the deploy. */
export function wayBack(installation, points) {
  const databases = databasesIn(installation, []).filter(({ binding }) => points[binding]);
  const commands = databases.map(({ name, binding }) => {
    const lines = [`npx wrangler d1 time-travel restore ${name}`, `--config ${DEPLOY_CONFIG}`, points[binding]];
    return lines.join(` \\\n${MARGIN}${MARGIN}${MARGIN}`);
  });
  const say = (text) => `${MARGIN}${wrapped(text, MARGIN)}`;
  return [
    "",
    say("The way back, should this version be a bad one. The Worker of before works with the new tables:"),
    `${MARGIN}${MARGIN}${bold(`npx wrangler rollback --config ${DEPLOY_CONFIG}`)}`,
    say(
      "Only if the data itself is damaged: this undoes the migrations and all that was written since they began, also the records of mail that went out. Roll the Worker back first.",
    ),
    ...commands.map((text) => `${MARGIN}${MARGIN}${bold(text)}`),
    "",
  ].join("\n");
}
