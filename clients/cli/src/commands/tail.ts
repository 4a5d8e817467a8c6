import { setTimeout as sleep } from "node:timers/promises";
import type { ActivityPage, Petrel } from "petrel-client";
import colours from "picocolors";
import { type Command, type Given, Refusal, UsageError } from "../command";
import { say } from "../screen";
import { openPetrel } from "../settings";

type Activity = ActivityPage["data"][number];

const pollMs = 2_000;
/** The most ids that are remembered: more than the entries that can arrive late between two polls. */
const rememberedIds = 5_000;

export const tail: Command = {
  summary: "Follow what happens, until Ctrl-C",
  usage: "[--types <types>] [--contact <address>]",
  options: {
    types: { type: "string", value: "types", about: "Only these, such as email.opened,email.clicked" },
    contact: { type: "string", value: "address", about: "Only what concerns this contact" },
    lines: { type: "string", short: "n", value: "number", about: "How many of the last to begin with: 10" },
    json: { type: "boolean", about: "One JSON object a line" },
    "no-follow": { type: "boolean", about: "End after the last lines" },
  },
  examples: ["petrel tail --types email.bounced,email.complained", "petrel tail --json | jq .contactEmail"],
  async run(given) {
    const lines = Number(given.text("lines") ?? 10);
    if (!Number.isInteger(lines) || lines < 0 || lines > 100) throw new UsageError("--lines is a number from 0 to 100");
    const petrel = openPetrel();
    const filters = await filtersOf(petrel, given);
    const show = given.has("json") ? (one: Activity) => say(JSON.stringify(one)) : (one: Activity) => say(lineOf(one));
    const { data } = await petrel.activity.list({ ...filters, limit: 100 });
    for (const one of data.slice(0, lines).toReversed()) show(one);
    if (!given.has("no-follow")) await follow(petrel, filters, data, show);
    return 0;
  },
};

async function filtersOf(petrel: Petrel, given: Given): Promise<{ types?: string; contactId?: string }> {
  const [types, email] = [given.text("types"), given.text("contact")];
  if (email === undefined) return types === undefined ? {} : { types };
  const { data } = await petrel.contacts.list({ email });
  if (!data[0]) throw new Refusal(`There is no contact ${email}`);
  return { contactId: data[0].id, ...(types !== undefined && { types }) };
}

/**
 * Shows new entries. The list is newest first, so each poll reads from the top down to entries that were seen before.
 * An entry that was written slightly late is shown too, as long as it is on the first page.
 */
async function follow(
  petrel: Petrel,
  filters: { types?: string; contactId?: string },
  first: Activity[],
  show: (one: Activity) => void,
): Promise<void> {
  const seen = new Set(first.map(({ id }) => id));
  const since = first.at(-1)?.timestamp ?? new Date().toISOString();
  const ended = new AbortController();
  process.once("SIGINT", () => ended.abort());
  const { signal } = ended;
  try {
    for (;;) {
      await sleep(pollMs, undefined, { signal });
      for (const one of await unseen(petrel, filters, { seen, since, signal })) show(one);
      for (const id of seen) if (seen.size > rememberedIds) seen.delete(id);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Following {
  seen: Set<string>;
  /** The time of the oldest entry that was shown at the start. Older entries are not shown. */
  since: string;
  signal: AbortSignal;
}

async function unseen(
  petrel: Petrel,
  filters: { types?: string; contactId?: string },
  { seen, since, signal }: Following,
): Promise<Activity[]> {
  const found: Activity[] = [];
  for (let cursor = ""; ; ) {
    const page = await petrel.activity.list({ ...filters, limit: 100, ...(cursor && { cursor }) }, { signal });
    const fresh = page.data.filter(({ id, timestamp }) => !seen.has(id) && timestamp >= since);
    found.push(...fresh);
    if (fresh.length < page.data.length || !page.hasMore) break;
    cursor = page.cursor;
  }
  for (const { id } of found) seen.add(id);
  return found.toReversed();
}

const paints: Record<string, (text: string) => string> = {
  "email.bounced": colours.red,
  "email.complained": colours.red,
  "email.failed": colours.red,
  "contact.unsubscribed": colours.yellow,
  "email.opened": colours.green,
  "email.clicked": colours.green,
};

function lineOf({ type, timestamp, contactEmail, metadata }: Activity): string {
  const paint = paints[type] ?? colours.cyan;
  const { event, subject, link, reason } = metadata;
  const more = [event, subject, link, reason].filter((value) => typeof value === "string").join("  ");
  const name = paint(type.padEnd(20));
  return `${colours.dim(timestamp.slice(0, 19).replace("T", " "))}  ${name}  ${contactEmail ?? "-"}  ${colours.dim(oneLine(more))}`;
}

/** Returns a subject on one line, without characters that could move the terminal's cursor. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}
