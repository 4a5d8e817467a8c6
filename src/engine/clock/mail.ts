import { type SQL, sql } from "drizzle-orm";
import { inProject } from "../../db/scope";
import type { Context } from "../../platform/context";
import { deliverWaiting } from "../mail/deliver/drain";
import { releaseHeldOf } from "../mail/deliver/release-held";
import { settleLost } from "../mail/deliver/requeue-stuck";
import { pauseOf } from "../projects/sending-paused";
import type { Timed } from "./timed";

/** Scheduled mail, retries, held mail, and all other mail that is not handed over yet. */
export const timedMail: Timed = {
  name: "mail",
  isDue: (ctx) => sql`(EXISTS (SELECT 1 ${open(ctx)} AND (status = 'SENDING' OR next_attempt_at <= ${now(ctx)}))
    OR ${pauseOf(ctx.project) === null} AND EXISTS (SELECT 1 FROM emails INDEXED BY ix_emails_held
      WHERE ${inProject(ctx)} AND status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL))`,
  async settle(ctx) {
    if (pauseOf(ctx.project) === null) await releaseHeldOf(ctx);
    await deliverWaiting(ctx);
    await settleLost(ctx);
  },
  nextAt: (ctx) =>
    sql`SELECT min(next_attempt_at) ${open(ctx)} AND status = 'QUEUED' AND next_attempt_at > ${now(ctx)}`,
};

function open({ project }: Context): SQL {
  return sql`FROM emails INDEXED BY ix_emails_due
    WHERE clock = ${project.number} AND project_id = ${project.number} AND due_at IS NOT NULL`;
}

function now(ctx: Context): number {
  return ctx.clock().getTime();
}
