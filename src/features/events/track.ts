import { type SQL, sql } from "drizzle-orm";
import type { ConfirmationResult } from "../../core/contacts/confirmation";
import { mayLearnIds } from "../../core/idempotency";
import { type Id, newIdAt, timeOf } from "../../core/ids";
import { iso } from "../../core/time";
import type { Warning } from "../../core/warning";
import { openBatch } from "../../db/batch";
import { newTail, publicIdInSql, timeOfId } from "../../db/ids";
import { asFlag, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { readGivenData } from "../../engine/contacts/given-data";
import { mayLiftOptOuts, subscriptionWithConfirm } from "../../engine/contacts/opt-out";
import { upsertContacts } from "../../engine/contacts/upsert";
import { guardEventName } from "../../engine/events/name-limit";
import { eventsOf, insertEvents } from "../../engine/events/record";
import { insertEffect } from "../../engine/idempotency/effect";
import { type AddedConfirmation, addConfirmation } from "../../engine/mail/accept/confirmation";
import type { Context } from "../../platform/context";
import type { TrackEvent } from "./schema";

/** The recorded event: its ids and its time. */
export interface Tracked {
  contactId: Id;
  eventId: Id;
  timestamp: string;
  confirmation?: ConfirmationResult;
}

/**
 * `POST /v1/track`: creates or changes the contact and records the event, in one race-free batch. Data that is not
 * persistent is stored with the event only. `request` identifies the call for its idempotency key.
 */
export async function trackEvent(ctx: Context, call: TrackEvent, request: string): Promise<Tracked> {
  const data = readGivenData(ctx, call.data);
  const subscribed = call.confirm ? subscriptionWithConfirm(ctx, call.subscribed) : (call.subscribed ?? null);
  const isPublic = ctx.keyKind === "public";
  const tail = newTail();
  const tracked = eventsOf(ctx, { email: call.email, name: call.event, tail });
  const batch = openBatch(ctx);
  batch.recognise(sql`EXISTS (${tracked})`);
  batch.add(guardEventName(ctx, call.event));
  batch.addAll(
    upsertContacts(ctx, {
      contacts: [{ id: newIdAt(ctx.now.getTime()), email: call.email }],
      data,
      subscribed,
      subscribedByDefault: !call.confirm && (!isPublic || ctx.project.publicTrackSubscribes),
      source: isPublic ? "PUBLIC" : "TRACK",
      whenFull: "refuse",
      onlyIf: sql`true`,
    }),
  );
  const confirmation = call.confirm ? addConfirmation(ctx, batch, call.email) : null;
  const isLifting = subscribed === true && !mayLiftOptOuts(ctx) && mayLearnIds(ctx);
  const optOut = isLifting ? batch.add(selectOptOut(ctx, call.email)) : null;
  const event = batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT project_id, ${call.event} AS name, id AS contact_id, NULL AS email_id,
          ${JSON.stringify(data.own)} AS data
        FROM contacts WHERE ${inProject(ctx)} AND email = ${call.email}`,
      source: isPublic ? "PUBLIC" : "API",
      tail,
      again: tracked,
    }),
  );
  const optOutWarning = isLifting
    ? sql`(SELECT ${JSON.stringify(optOutStays)} WHERE ${hasOptedOut(ctx, call.email)})`
    : null;
  const late = confirmation?.warningInSql ?? optOutWarning;
  const response = answerInSql(ctx, confirmation);
  batch.addAll(insertEffect(ctx, { request, response, lateWarnings: late ? [late] : [], onlyIf: sql`true` }));
  await batch.commit();
  if (optOut?.one.isTheirs) ctx.warnings.push(optOutStays);
  const { id, contactId } = event.one;
  const result = await confirmation?.finish();
  if (contactId === null) throw new Error("A tracked event has no contact");
  return { contactId, eventId: id, timestamp: iso(timeOf(id)), confirmation: result };
}

const optOutStays: Warning = {
  field: "subscribed",
  message:
    "This person has unsubscribed, and a public key cannot change that. Subscribe the person from your " +
    "server, or let the person do it on the preference page.",
};

function selectOptOut(ctx: Context, email: string): Statement<{ isTheirs: boolean }> {
  return statement(sql`SELECT ${hasOptedOut(ctx, email)} AS is_theirs`, columns({ isTheirs: asFlag }));
}

/** Matches when the contact itself has opted out. Must come after the upsert, which can clear the opt-out. */
function hasOptedOut(ctx: Context, email: string): SQL {
  return sql`EXISTS (SELECT 1 FROM contacts
    WHERE ${inProject(ctx)} AND email = ${email} AND opted_out_by = 'PERSON')`;
}

/** Builds, in SQL, the answer about the event that the batch has just inserted, which is the project's newest. */
function answerInSql(ctx: Context, confirmation: AddedConfirmation | null): SQL {
  const timestamp = sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${timeOfId(sql`id`)} / 1000.0, 'unixepoch')`;
  const ids = sql`'contact', ${publicIdInSql(sql`contact_id`)}, 'event', ${publicIdInSql(sql`id`)},`;
  const answer = sql`(SELECT json_object('success', json('true'), 'data', json_object(${mayLearnIds(ctx) ? ids : sql``}
      'timestamp', ${timestamp}))
    FROM events WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT 1)`;
  return confirmation ? sql`json_insert(${answer}, '$.data.confirmation', ${confirmation.resultInSql})` : answer;
}
