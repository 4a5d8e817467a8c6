import { type SQL, sql } from "drizzle-orm";
import { readData } from "../../../core/contacts/data";
import { BadRequest } from "../../../core/errors";
import { type Id, newIdAt } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../../db/fresh";
import { asId, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { guard, noRows, type Statement, select, statement } from "../../../db/statement";
import type { SegmentRow } from "../../../db/tables";
import { upsertCounts } from "../../../engine/contacts/counts";
import { flips } from "../../../engine/contacts/subscription";
import { upsertContacts } from "../../../engine/contacts/upsert";
import type { Context } from "../../../platform/context";
import { insertMembershipEvents, isMember } from "../membership";
import { getSegment } from "../segment";
import type { AddMembers, RemoveMembers } from "./schema";

interface AddResult {
  added: number;
  created: number;
  alreadyMembers: number;
  notFound: string[];
}

/**
 * `POST /segments/{id}/members`: adds members to a static segment. Each contact is added once, however many concurrent
 * calls name it, and with one event if the segment is tracked. Throws NotFound and BadRequest.
 */
export async function addMembers(ctx: Context, id: Id, input: AddMembers): Promise<AddResult> {
  return untilFresh(() => add(ctx, id, input), ctx.random);
}

async function add(ctx: Context, id: Id, { emails, createMissing, subscribed }: AddMembers): Promise<AddResult> {
  const segment = await getStatic(ctx, id);
  const addresses = addressesOf(emails);
  const missing = createMissing ? await findMissing(ctx, addresses) : [];
  const named = namedBy(ctx, addresses);
  const newcomers = sql`${named} WHERE NOT ${isMember(segment)}`;
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("segments", segment), () => new Stale());
  batch.addAll(insertContacts(ctx, missing, subscribed ?? null));
  batch.add(recogniseStrangers(ctx, addresses));
  if (segment.trackMembership) {
    batch.add(insertMembershipEvents(ctx, segment, "entry", newcomers));
  }
  batch.add(updateMemberCount(ctx, segment, sql`member_count + (SELECT count(*) ${newcomers})`));
  const added = batch.add(insertMembers(ctx, segment, newcomers));
  const found = batch.add(selectAddresses(named));
  await batch.commit();
  return {
    added: added.count,
    created: missing.length,
    alreadyMembers: found.count - added.count,
    notFound: notAmong(found.all, emails),
  };
}

/** `DELETE /segments/{id}/members`: removes members of a static segment. Throws NotFound and BadRequest. */
export async function removeMembers(
  ctx: Context,
  id: Id,
  { emails }: RemoveMembers,
): Promise<{ removed: number; notFound: string[] }> {
  return untilFresh(() => remove(ctx, id, emails), ctx.random);
}

async function remove(ctx: Context, id: Id, emails: SentEmails): Promise<{ removed: number; notFound: string[] }> {
  const segment = await getStatic(ctx, id);
  const named = namedBy(ctx, addressesOf(emails));
  const leavers = sql`${named} WHERE ${isMember(segment)}`;
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("segments", segment), () => new Stale());
  if (segment.trackMembership) {
    batch.add(insertMembershipEvents(ctx, segment, "exit", leavers));
  }
  batch.add(updateMemberCount(ctx, segment, sql`member_count - (SELECT count(*) ${leavers})`));
  const removed = batch.add(deleteNamed(ctx, segment, named));
  const found = batch.add(selectAddresses(named));
  await batch.commit();
  return { removed: removed.count, notFound: notAmong(found.all, emails) };
}

async function getStatic(ctx: Context, id: Id): Promise<SegmentRow> {
  const segment = await getSegment(ctx, id);
  if (segment.type === "STATIC") return segment;
  throw new BadRequest("The members of a DYNAMIC segment come from its condition.", {
    suggestion: "Change its condition, or create a STATIC segment to add members by hand.",
  });
}

type SentEmails = AddMembers["emails"];

function addressesOf(emails: SentEmails): string[] {
  return [...new Set(emails.map(({ email }) => email))];
}

/** Returns the addresses that no contact has, in the spelling in which they were sent. */
function notAmong(found: { email: string }[], emails: SentEmails): string[] {
  const isKnown = new Set(found.map(({ email }) => email));
  return [...new Set(emails.flatMap(({ written, email }) => (isKnown.has(email) ? [] : [written])))];
}

/** Returns a FROM clause with the contacts `c` that have these addresses. */
function namedBy(ctx: Context, addresses: string[]): SQL {
  return sql`FROM json_each(${JSON.stringify(addresses)}) r
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value`;
}

const readAddress = columns({ email: asText });

async function findMissing(ctx: Context, addresses: string[]): Promise<string[]> {
  const rows = await select(ctx.db, missingAmong(ctx, addresses), readAddress);
  return rows.map(({ email }) => email);
}

function missingAmong(ctx: Context, addresses: string[]): SQL {
  return sql`SELECT r.value AS email FROM json_each(${JSON.stringify(addresses)}) r
    WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE ${inProject(ctx, "c")} AND c.email = r.value)`;
}

/**
 * Creates the missing contacts. A guard stops the batch if one of them was created meanwhile, so no existing contact is
 * changed.
 */
function insertContacts(ctx: Context, missing: string[], subscribed: boolean | null): Statement[] {
  if (missing.length === 0) return [];
  const areMissing = sql`(SELECT count(*) FROM (${missingAmong(ctx, missing)})) = ${missing.length}`;
  return [
    guard(areMissing, () => new Stale()),
    ...upsertContacts(ctx, {
      contacts: missing.map((email) => ({ id: newIdAt(ctx.now.getTime()), email })),
      data: readData({}),
      subscribed,
      subscribedByDefault: true,
      source: "MEMBERS",
      whenFull: "refuse",
      onlyIf: sql`true`,
    }),
  ];
}

/** Gives contacts that only web pages have named the source of this call. All else about them stays. */
function recogniseStrangers(ctx: Context, addresses: string[]): Statement {
  const areStrangers = sql`${inProject(ctx)} AND source = 'PUBLIC'
    AND email IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`;
  return statement(
    sql`UPDATE contacts SET source = 'MEMBERS', version = version + 1, updated_at = max(updated_at, ${ctx.now.getTime()})
      WHERE ${areStrangers}`,
    noRows,
    { before: [upsertCounts(flips(areStrangers, sql`subscribed`))] },
  );
}

/**
 * Updates the stored count. Must precede the change of members, because `memberCount` reads the members. Every change
 * of members updates the count, so the count is exact.
 */
function updateMemberCount(ctx: Context, { id }: SegmentRow, memberCount: SQL): Statement {
  return statement(
    sql`UPDATE segments SET member_count = ${memberCount}, counted_at = ${ctx.now.getTime()}
      WHERE ${inProject(ctx)} AND id = ${id}`,
  );
}

const readMember = columns({ contactId: asId });

function insertMembers(ctx: Context, { id }: SegmentRow, who: SQL): Statement<{ contactId: Id }> {
  return statement(
    sql`INSERT INTO segment_members (project_id, segment_id, contact_id, created_at)
      SELECT c.project_id, ${id}, c.id, ${ctx.now.getTime()} ${who} RETURNING contact_id`,
    readMember,
  );
}

function deleteNamed(ctx: Context, { id }: SegmentRow, named: SQL): Statement<{ contactId: Id }> {
  return statement(
    sql`DELETE FROM segment_members WHERE ${inProject(ctx)} AND segment_id = ${id}
      AND contact_id IN (SELECT c.id ${named}) RETURNING contact_id`,
    readMember,
  );
}

function selectAddresses(named: SQL): Statement<{ email: string }> {
  return statement(sql`SELECT c.email ${named}`, readAddress);
}
