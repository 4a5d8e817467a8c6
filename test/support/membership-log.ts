/** One thing that happened to a membership, or that bears on it. */
export interface Happening {
  seq: number;
  /** Null for what happens to a contact, and for an event, whose name says which segment it is of. */
  segment_id: string | null;
  contact_id: string | null;
  /** `in` or `out` of a member row, the name of an event, or what became of the segment or the contact. */
  what: string;
  event_id: string | null;
}

/** What is written down, under which condition, and as what: segment, contact, word, event. */
const watched: [change: string, when: string, what: string][] = [
  ["INSERT ON segment_members", "true", "NEW.segment_id, NEW.contact_id, 'in', NULL"],
  ["DELETE ON segment_members", "true", "OLD.segment_id, OLD.contact_id, 'out', NULL"],
  ["INSERT ON events", "NEW.name GLOB 'segment.*'", "NULL, NEW.contact_id, NEW.name, NEW.id"],
  [
    "UPDATE OF track_membership ON segments",
    "NEW.track_membership <> OLD.track_membership",
    "NEW.id, NULL, iif(NEW.track_membership, 'tracked', 'untracked'), NULL",
  ],
  ["UPDATE OF computed_at ON segments", "NEW.computed_at IS NOT NULL", "NEW.id, NULL, 'computed', NULL"],
  ["UPDATE OF condition ON segments", "NEW.condition <> OLD.condition", "NEW.id, NULL, 'other condition', NULL"],
  ["DELETE ON segments", "true", "OLD.id, NULL, 'deleted', NULL"],
  ["INSERT ON contacts", "true", "NULL, NEW.id, 'changed', NULL"],
  ["UPDATE ON contacts", "true", "NULL, NEW.id, 'changed', NULL"],
  ["DELETE ON contacts", "true", "NULL, OLD.id, 'gone', NULL"],
];

/** Has the database itself write a log of memberships, in the order of the commits. */
export async function openMembershipLog(db: D1Database): Promise<void> {
  await db.batch([
    db.prepare(
      `CREATE TABLE membership_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, project_id, segment_id, contact_id, what, event_id)`,
    ),
    ...watched.map(([change, when, what], index) => {
      const row = change.startsWith("DELETE") ? "OLD" : "NEW";
      return db.prepare(
        `CREATE TRIGGER membership_log_${index} AFTER ${change} WHEN ${when} BEGIN
          INSERT INTO membership_log (project_id, segment_id, contact_id, what, event_id) VALUES (${row}.project_id, ${what});
        END`,
      );
    }),
  ]);
}

export async function dropMembershipLog(db: D1Database): Promise<void> {
  await db.batch([
    ...watched.map((_, index) => db.prepare(`DROP TRIGGER membership_log_${index}`)),
    db.prepare("DROP TABLE membership_log"),
  ]);
}

/** A segment as its history leaves it. */
export interface Told {
  id: string;
  slug: string;
  state: "tracked" | "taken silently" | "untracked" | "deleted";
  members: Set<string>;
}

/**
 * Goes on with the history of a segment, and returns what was wrong in it. While it is tracked, each member row comes or
 * goes right behind its one event, entry and exit in turn. There is none from the moment at which tracking begins until the
 * first computation after it has ended, and when a contact or the segment is deleted. When it is not tracked, nobody moves.
 */
export function replay(log: Happening[], segment: Told): string[] {
  const faults: string[] = [];
  const events = { [`segment.${segment.slug}.entry`]: "in", [`segment.${segment.slug}.exit`]: "out" };
  /** What an event has just said of a contact. */
  const said = new Map<string, string>();
  const gone = new Set<string>();
  for (const [index, { segment_id, contact_id, what }] of log.entries()) {
    const contact = contact_id ?? "nobody";
    const isMember = segment.members.has(contact);
    const fail = (fault: string) => faults.push(`${what} of ${contact}, ${segment.state}: ${fault}`);
    if (what === "gone") gone.add(contact);
    const event = events[what];
    if (event !== undefined) {
      if (segment.state !== "tracked") fail("nobody is told");
      if (gone.has(contact)) fail("the contact is gone");
      if (isMember === (event === "in")) fail("the event before it said the same");
      if (said.has(contact)) fail("the event before it had no move");
      said.set(contact, event);
    }
    if (segment_id !== segment.id) continue;
    if (what === "in" || what === "out") {
      if (said.has(contact) && said.get(contact) !== what) fail("the event says another thing");
      const isTold = said.delete(contact);
      const isDeleted = what === "out" && (segment.state === "deleted" || isErased(log, index));
      if (!isTold && !isDeleted && segment.state !== "taken silently") fail("no event tells it");
      if (what === "in") segment.members.add(contact);
      else segment.members.delete(contact);
    }
    if (what === "tracked") segment.state = "taken silently";
    if (what === "computed" && segment.state === "taken silently") segment.state = "tracked";
    if (what === "untracked" || what === "deleted") segment.state = what;
  }
  for (const [contact, event] of said) faults.push(`${contact} did not go ${event}, though an event said so`);
  return faults;
}

/** Whether the contact that leaves here is deleted in the same batch. */
function isErased(log: Happening[], index: number): boolean {
  const contact = log[index]?.contact_id;
  const next = log.slice(index + 1).find(({ contact_id, what }) => contact_id !== contact || what !== "out");
  return next?.contact_id === contact && next?.what === "gone";
}
