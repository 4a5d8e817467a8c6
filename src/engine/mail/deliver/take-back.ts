import { type SQL, sql } from "drizzle-orm";
import type { Uncalled } from "../../../core/mail/unwritten";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { updateMarked, updateOpen } from "../../campaigns/mark-pages";
import { announceGraceMs } from "../announce";
import { ofItem } from "./as-read";

/**
 * Queues again those emails whose call was never made. The round stays in the row, because a cancelled campaign
 * recognises its mail by the round. A sweep may have made an email UNKNOWN meanwhile. That email is also queued again,
 * unless the call is a repeat: only this consumer could have made a call with a new id, so the email was certainly not
 * sent.
 */
export function takeBack(ctx: Context, uncalled: Uncalled[]): Statement[] {
  if (uncalled.length === 0) return [];
  const now = ctx.clock().getTime();
  const items = JSON.stringify(uncalled);
  const isOfCall = sql`${ofItem} AND e.round = r.value->>'call'`;
  const isGivenUp = sql`(e.status = 'UNKNOWN' AND NOT r.value->>'isRepeat')`;
  const isHanded = sql`(e.status = 'SENDING' AND e.handed_at = r.value->>'handedAt')`;
  const from = sql`json_each(${items}) r CROSS JOIN emails e`;
  const among = (state: SQL) => sql`${isOfCall} AND ${state}`;
  return [
    updateOpen(among(isGivenUp), from),
    updateMarked(ctx, { from, where: among(sql`(${isGivenUp} OR ${isHanded})`) }),
    statement(
      sql`UPDATE emails AS e SET status = 'QUEUED', error = NULL, handed_at = NULL,
          uncertain_since = r.value->>'uncertainSince', attempts = max(0, attempts - 1), ended_at = NULL,
          next_attempt_at = ${now}, due_at = ${now + announceGraceMs}
        FROM json_each(${items}) r WHERE ${among(sql`(${isGivenUp} OR ${isHanded})`)}`,
    ),
  ];
}
