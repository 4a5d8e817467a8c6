import { type Happening, replay } from "./membership-log";
import type { Play } from "./segment-play";
import { type ContactNow, meaningOf } from "./segment-rules";

/** The rows of a project at one moment. */
interface Now {
  contacts: ContactNow[];
  segments: { id: string; condition: string; track_membership: number; member_count: number }[];
  members: { segment_id: string; contact_id: string }[];
  openJobs: string[];
  log: Happening[];
}

type ContactRow = Record<"id" | "email" | "data", string> & { subscribed: number };

/** In one round trip, and so at one moment. */
export async function readNow({ project }: Play): Promise<Now> {
  const reads = [
    "SELECT id, email, subscribed, data FROM contacts WHERE project_id = ?",
    "SELECT id, condition, track_membership, member_count FROM segments WHERE project_id = ?",
    "SELECT segment_id, contact_id FROM segment_members WHERE project_id = ?",
    "SELECT type || ' ' || status AS job FROM jobs WHERE project_id = ? AND status IN ('queued', 'processing')",
    "SELECT seq, segment_id, contact_id, what, event_id FROM membership_log WHERE project_id = ? ORDER BY seq",
  ];
  const results = await project.db.batch(reads.map((sql) => project.db.prepare(sql).bind(project.id)));
  // The columns are those of the statements.
  const [contacts, segments, members, jobs, log] = results.map((result) => result.results) as [
    ContactRow[],
    Now["segments"],
    Now["members"],
    { job: string }[],
    Happening[],
  ];
  return {
    contacts: contacts.map((row) => ({ ...row, subscribed: row.subscribed === 1, data: JSON.parse(row.data) })),
    segments,
    members,
    openJobs: jobs.map(({ job }) => job),
    log,
  };
}

/** Those to whom something may happen. */
export function namedIn({ addresses }: Play, { contacts }: Now): ContactNow[] {
  return contacts.filter(({ email }) => addresses.includes(email));
}

/** Who is in a segment, by its stored condition. */
function whoMatches(condition: string, { contacts }: Now): string[] {
  return contacts.filter(meaningOf(condition)).map(({ id }) => id);
}

/** What is wrong when all that was begun has come to its end. The log up to here is done with. */
export async function faultsAtRest(play: Play): Promise<string[]> {
  const { project, segments } = play;
  const now = await readNow(play);
  const faults = now.openJobs.map((job) => `A job is open: ${job}`);
  faults.push(...(await orderFaults(play, now.log)));
  for (const told of segments) {
    const fail = (fault: string) => faults.push(`${told.slug}: ${fault}`);
    replay(now.log, told).map(fail);
    const row = now.segments.find(({ id }) => id === told.id);
    const members = now.members.flatMap(({ segment_id, contact_id }) => (segment_id === told.id ? [contact_id] : []));
    if (!same(members, [...told.members])) fail(`its rows are ${members}, its history ${[...told.members]}`);
    if (!row) {
      if (told.state !== "deleted" || members.length > 0) fail("it is gone, and its members are there");
      continue;
    }
    const matching = whoMatches(row.condition, now);
    if ((row.track_membership === 1) !== (told.state === "tracked")) fail(`it is ${told.state}`);
    if (row.track_membership === 1 && !same(members, matching))
      fail(`its members are ${members}, who matches ${matching}`);
    if (row.member_count !== matching.length) fail(`memberCount ${row.member_count} of ${matching.length}`);
  }
  play.contacts = namedIn(play, now);
  play.segments = segments.filter(({ state }) => state !== "deleted");
  await project.db.prepare("DELETE FROM membership_log WHERE project_id = ?").bind(project.id).run();
  return faults;
}

/** The order of events by their ids is the order in which they were committed. */
async function orderFaults({ project }: Play, log: Happening[]): Promise<string[]> {
  const committed = log.flatMap(({ event_id }) => event_id ?? []);
  const { results } = await project.db
    .prepare("SELECT id FROM events WHERE project_id = ? AND id >= ? AND name GLOB 'segment.*' ORDER BY id")
    .bind(project.id, committed[0] ?? "~")
    .all<{ id: string }>();
  const stored = results.map(({ id }) => id);
  return `${stored}` === `${committed}` ? [] : [`Events were committed as ${committed}, and are kept as ${stored}`];
}

/** The last thing that was logged. */
export async function momentOf({ project }: Play): Promise<number> {
  const last = project.db.prepare("SELECT max(seq) AS seq FROM membership_log WHERE project_id = ?").bind(project.id);
  return (await last.first<{ seq: number | null }>())?.seq ?? 0;
}

/**
 * What is wrong when a computation that was called at `moment` has answered, then or later: whoever has not changed since is a
 * member or is none, as the condition says, unless the segment has changed. `total` is what the answer says just now.
 */
export async function faultsOfAnswer(play: Play, moment: number, total?: number): Promise<string[]> {
  const { segment: told } = play;
  const now = await readNow(play);
  const row = now.segments.find(({ id }) => id === told.id);
  const since = now.log.filter(({ seq }) => seq > moment);
  const isOther = since.some(
    ({ segment_id, what }) => segment_id === told.id && !["in", "out", "computed"].includes(what),
  );
  if (!row || isOther) return [];
  const changed = new Set(since.flatMap(({ contact_id, what }) => (/^(changed|gone)$/.test(what) ? contact_id : [])));
  const members = now.members.flatMap(({ segment_id, contact_id }) => (segment_id === told.id ? [contact_id] : []));
  const matching = whoMatches(row.condition, now);
  const steady = (ids: string[]) => ids.filter((id) => !changed.has(id));
  const faults = same(steady(members), steady(matching)) ? [] : [`${told.slug}: computed ${members}, not ${matching}`];
  if (total === undefined || changed.size > 0 || total === matching.length) return faults;
  return [...faults, `${told.slug}: the total of the answer is ${total}, not ${matching.length}`];
}

function same(some: string[], others: string[]): boolean {
  return `${some.toSorted()}` === `${others.toSorted()}`;
}
