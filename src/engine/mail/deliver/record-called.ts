import { sql } from "drizzle-orm";
import { endsTrust, meaningOf, type Report } from "../../../core/mail/status";
import type { Unwritten } from "../../../core/mail/unwritten";
import { type Batch, openBatch } from "../../../db/batch";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { allAccounts } from "../../../platform/mailer/accounts";
import { updateDelivered, updateReported } from "../report/report";
import { insertBlock, judgeAsMailGoes } from "../report/reputation";
import { isAsRead, itemsOf, ofItem } from "./as-read";
import { type Result, updateResults } from "./record";
import { takeBack } from "./take-back";

/** The results of a round: the provider's answers, and the emails for which no call was made. */
export type CalledFor = Pick<Unwritten, "results" | "uncalled">;

/**
 * Records an attempt in the rows of emails before they are composed. Called when a consumer may have died while
 * handling them. The hand-over resets the count of these attempts. The same batch records the results of the previous
 * round, because this Worker may die too.
 */
export async function recordAndNote(ctx: Context, called: CalledFor, emails: EmailRow[]): Promise<void> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  const judge = recordCalled(ctx, batch, called, at);
  if (emails.length > 0) {
    batch.add(
      statement(
        sql`UPDATE emails AS e SET abandonments = abandonments + 1 FROM json_each(${itemsOf(emails)}) r
          WHERE ${isAsRead(at)}`,
      ),
    );
  }
  await batch.commit();
  await judge();
}

/**
 * Adds the statements that record a round to a batch. Returns a function to call after the commit: it judges the
 * project's reputation if the round may have changed it.
 */
export function recordCalled(
  ctx: Context,
  batch: Batch,
  { results: called, uncalled }: CalledFor,
  at: number,
): () => Promise<void> {
  batch.addAll(takeBack(ctx, uncalled));
  const isOfItsRound = sql`e.round = r.value->>'round' AND e.status IN ('SENDING', 'QUEUED', 'UNKNOWN')`;
  batch.addAll(updateResults(ctx, { results: called, where: sql`${ofItem} AND ${isOfItsRound}`, at }));
  const begun = called.some(({ status }) => status === "SENT") ? batch.add(insertBlock(ctx, at)) : null;
  batch.addAll(deleteSettledRounds(ctx, called));
  const delivered = called.filter(({ reports }) => reports.some(isDelivery));
  batch.addAll(updateDelivered(ctx, delivered, ctx.mailer.name));
  for (const result of called) {
    for (const report of result.reports) {
      if (!isDelivery(report)) batch.addAll(updateReported(ctx, result, report, ctx.mailer.name));
    }
  }
  const isDistrusted = called.some(({ reports }) => reports.some((report) => endsTrust(meaningOf(report))));
  return async () => {
    if (isDistrusted || (begun?.count ?? 0) > 0) await judgeAsMailGoes(ctx);
  };
}

function isDelivery({ kind }: Report): boolean {
  return kind === "delivered";
}

/**
 * Deletes a stored call once the outcome of all its emails is known, because the call will not be repeated. `called`
 * may have results for only some emails of a call, so the rows of its other emails are checked, too.
 */
function deleteSettledRounds(ctx: Context, called: Result[]): Statement[] {
  // Results that arrive through the queue do not name the account, so all accounts are checked.
  if (allAccounts(ctx.accounts).every(({ mailer }) => mailer.idempotencyWindowMs === 0)) return [];
  const rounds = Map.groupBy(called, ({ round }) => round);
  const settled = [...rounds].filter(([, results]) => results.every((result) => result.uncertainSince === null));
  if (settled.length === 0) return [];
  const ids = JSON.stringify(settled.map(([round]) => round));
  return [
    statement(
      sql`DELETE FROM rounds WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${ids}))
        AND NOT EXISTS (SELECT 1 FROM json_each(rounds.emails) r
          CROSS JOIN emails e ON e.project_id = rounds.project_id AND e.id = r.value
          WHERE e.round = rounds.id AND (e.status = 'SENDING' OR e.status = 'QUEUED' AND e.uncertain_since IS NOT NULL))`,
    ),
  ];
}
