import { type SQL, sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { BadRequest } from "../../core/errors";
import { newId } from "../../core/ids";
import { membershipEvents } from "../../core/segments/slug";
import { guard, query, staleRow, statement, unchanged, untilFresh } from "../../db/commit";
import type { SegmentRow } from "../../db/tables";
import { upsertContacts } from "../../engine/contacts/upsert";
import { commitAndAnnounce } from "../../engine/events/announce";
import { recordEvents } from "../../engine/events/record";
import type { Context } from "../../platform/context";
import type { AddMembers, RemoveMembers } from "./schema";
import { getSegment } from "./segment";

interface Added {
  added: number;
  created: number;
  alreadyMembers: number;
  notFound: string[];
}

/**
 * `POST /segments/{id}/members`, of a static segment: each contact comes in once, however many calls name it at the same
 * time, and with one event if the segment is tracked. Throws NotFound and BadRequest.
 */
export async function addMembers(ctx: Context, id: string, input: AddMembers): Promise<Added> {
  return untilFresh(() => add(ctx, id, input), ctx.random);
}

async function add(ctx: Context, id: string, { emails, createMissing, subscribed }: AddMembers): Promise<Added> {
  const segment = await getStatic(ctx, id);
  const addresses = addressesOf(emails);
  const missing = createMissing ? await findMissing(ctx, addresses) : [];
  const named = namedBy(ctx, addresses);
  const newcomers = sql`${named} WHERE NOT ${isMember(segment)}`;
  const results = await commitAndAnnounce(ctx, [
    unchanged(ctx.db, "segments", segment),
    ...createContacts(ctx, missing, subscribed ?? null),
    ...tell(ctx, segment, "entry", newcomers),
    recount(ctx, segment, sql`member_count + (SELECT count(*) ${newcomers})`),
    statement(
      ctx.db,
      sql`INSERT INTO segment_members (project_id, segment_id, contact_id, created_at)
        SELECT c.project_id, ${segment.id}, c.id, ${ctx.now.getTime()} ${newcomers} RETURNING contact_id`,
    ),
    statement(ctx.db, sql`SELECT c.email ${named}`),
  ]);
  const [come = [], found = []] = results.slice(-2);
  return {
    added: come.length,
    created: missing.length,
    alreadyMembers: found.length - come.length,
    notFound: notAmong(found, emails),
  };
}

/** `DELETE /segments/{id}/members`, of a static segment. Throws NotFound and BadRequest. */
export async function removeMembers(
  ctx: Context,
  id: string,
  { emails }: RemoveMembers,
): Promise<{ removed: number; notFound: string[] }> {
  return untilFresh(async () => {
    const segment = await getStatic(ctx, id);
    const named = namedBy(ctx, addressesOf(emails));
    const leavers = sql`${named} WHERE ${isMember(segment)}`;
    const results = await commitAndAnnounce(ctx, [
      unchanged(ctx.db, "segments", segment),
      ...tell(ctx, segment, "exit", leavers),
      recount(ctx, segment, sql`member_count - (SELECT count(*) ${leavers})`),
      statement(
        ctx.db,
        sql`DELETE FROM segment_members WHERE project_id = ${ctx.project.id} AND segment_id = ${segment.id}
          AND contact_id IN (SELECT c.id ${named}) RETURNING contact_id`,
      ),
      statement(ctx.db, sql`SELECT c.email ${named}`),
    ]);
    const [gone = [], found = []] = results.slice(-2);
    return { removed: gone.length, notFound: notAmong(found, emails) };
  }, ctx.random);
}

async function getStatic(ctx: Context, id: string): Promise<SegmentRow> {
  const segment = await getSegment(ctx, id);
  if (segment.type === "STATIC") return segment;
  throw new BadRequest("The members of a DYNAMIC segment are those its condition holds for.", {
    suggestion: "Change its condition, or create a STATIC segment to put members in by hand.",
  });
}

type Sent = AddMembers["emails"];

function addressesOf(emails: Sent): string[] {
  return [...new Set(emails.map(({ email }) => email))];
}

/** Of the addresses as they were sent, those that no contact has. */
function notAmong(found: Record<string, unknown>[], emails: Sent): string[] {
  const isKnown = new Set(found.map(({ email }) => email));
  return [...new Set(emails.flatMap(({ written, email }) => (isKnown.has(email) ? [] : [written])))];
}

/** The contacts `c` with these addresses. */
function namedBy(ctx: Context, addresses: string[]): SQL {
  return sql`FROM json_each(${JSON.stringify(addresses)}) r
    CROSS JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value`;
}

function isMember({ projectId, id }: SegmentRow): SQL {
  return sql`EXISTS (SELECT 1 FROM segment_members m
    WHERE m.project_id = ${projectId} AND m.segment_id = ${id} AND m.contact_id = c.id)`;
}

async function findMissing(ctx: Context, addresses: string[]): Promise<string[]> {
  const rows = await query(ctx.db, missingAmong(ctx, addresses));
  return rows.map(({ email }) => String(email));
}

function missingAmong(ctx: Context, addresses: string[]): SQL {
  return sql`SELECT r.value AS email FROM json_each(${JSON.stringify(addresses)}) r
    WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = ${ctx.project.id} AND c.email = r.value)`;
}

/** New contacts only: their guard sees to it that one who came meanwhile is not changed. */
function createContacts(ctx: Context, missing: string[], subscribed: boolean | null): D1PreparedStatement[] {
  if (missing.length === 0) return [];
  const areMissing = sql`(SELECT count(*) FROM (${missingAmong(ctx, missing)})) = ${missing.length}`;
  return [
    guard(ctx.db, staleRow, areMissing),
    ...upsertContacts(ctx, {
      contacts: missing.map((email) => ({ id: newId(), email })),
      data: readData({}),
      subscribed,
      subscribedByDefault: true,
      onlyIf: sql`true`,
    }),
  ];
}

/** The events of those who come or go, before they do. */
function tell(ctx: Context, segment: SegmentRow, what: "entry" | "exit", who: SQL): D1PreparedStatement[] {
  if (!segment.trackMembership) return [];
  const data = JSON.stringify({ segmentId: segment.id, segmentName: segment.name });
  const rows = sql`SELECT c.project_id, ${membershipEvents(segment)[what]} AS name, c.id AS contact_id, NULL AS email_id,
    ${data} AS data ${who}`;
  return [recordEvents(ctx.db, { rows, at: ctx.now.getTime() })];
}

/** Kept with every change of members, and so exact; also before they change. */
function recount(ctx: Context, { id }: SegmentRow, memberCount: SQL): D1PreparedStatement {
  return statement(
    ctx.db,
    sql`UPDATE segments SET member_count = ${memberCount}, counted_at = ${ctx.now.getTime()}
      WHERE project_id = ${ctx.project.id} AND id = ${id}`,
  );
}
