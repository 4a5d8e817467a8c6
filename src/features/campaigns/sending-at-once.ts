import { type SQL, sql } from "drizzle-orm";
import { TooManySending } from "../../core/mail/errors";
import { minuteMs } from "../../core/time";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, selectOne } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/**
 * The maximum number of a project's campaigns that are SENDING, including held ones. Each takes at most one step per
 * second, by a message in a queue that all projects share, so a project causes at most 50 messages per second there.
 */
export const maxSendingAtOnce = 50;

/** Returns the guard of a batch that sets a campaign to SENDING. */
export function guardSendingAtOnce(ctx: Context): Statement {
  return guard(sql`${sendingNow(ctx)} < ${maxSendingAtOnce}`, () => new TooManySending(maxSendingAtOnce));
}

/** Returns SQL that counts the campaigns that are SENDING, up to the limit. */
function sendingNow(ctx: Context): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM campaigns INDEXED BY ix_campaigns_status
    WHERE ${inProject(ctx)} AND status = 'SENDING' LIMIT ${maxSendingAtOnce}))`;
}

const maxMinutes = 60;

/**
 * Returns how long a due campaign waits before it checks the limit again; null when it may start. The first campaigns
 * in line check every minute, and later ones less often, so that there are only about a hundred checks a minute,
 * however many campaigns wait.
 */
export async function waitInLineMs(
  ctx: Context,
  { id, scheduledFor }: Pick<CampaignRow, "id" | "scheduledFor">,
): Promise<number | null> {
  const { sending, ahead } = await selectOne(
    ctx.db,
    sql`SELECT ${sendingNow(ctx)} AS sending, (SELECT count(*) FROM (
        SELECT 1 FROM campaigns INDEXED BY ix_campaigns_scheduled
        WHERE ${inProject(ctx)} AND status = 'SCHEDULED' AND (scheduled_for, id) < (${scheduledFor}, ${id})
        LIMIT ${maxMinutes * maxSendingAtOnce})) AS ahead`,
    columns({ sending: asNumber, ahead: asNumber }),
  );
  if (sending < maxSendingAtOnce) return null;
  return minuteMs * Math.min(maxMinutes, 1 + Math.floor(ahead / maxSendingAtOnce));
}
