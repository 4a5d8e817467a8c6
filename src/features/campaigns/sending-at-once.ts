import { type SQL, sql } from "drizzle-orm";
import { TooManySending } from "../../core/errors";
import { minuteMs } from "../../core/time";
import { asNumber, columns } from "../../db/rows";
import { guard, type Statement, selectOne } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import type { Context } from "../../platform/context";

/**
 * Campaigns of a project that may be SENDING, held ones among them. Each has a look every second or less often, by a message
 * of a queue that all projects share: so a project has some fifty messages a second there at most.
 */
export const maxSendingAtOnce = 50;

/** The guard for whoever makes a campaign SENDING. */
export function guardSendingAtOnce(ctx: Context): Statement {
  return guard(sql`${sendingNow(ctx)} < ${maxSendingAtOnce}`, () => new TooManySending(maxSendingAtOnce));
}

/** How many there are, counted up to the limit. */
function sendingNow(ctx: Context): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM campaigns INDEXED BY ix_campaigns_status
    WHERE project_id = ${ctx.project.number} AND status = 'SENDING' LIMIT ${maxSendingAtOnce}))`;
}

const maxMinutes = 60;

/**
 * How long a campaign that is due waits until it looks for room again; null when there is room. The first in the line look
 * every minute, and those behind them less often: however many wait, their looks are some hundred a minute.
 */
export async function waitForRoom(
  ctx: Context,
  { id, scheduledFor }: Pick<CampaignRow, "id" | "scheduledFor">,
): Promise<number | null> {
  const { sending, ahead } = await selectOne(
    ctx.db,
    sql`SELECT ${sendingNow(ctx)} AS sending, (SELECT count(*) FROM (
        SELECT 1 FROM campaigns INDEXED BY ix_campaigns_scheduled
        WHERE project_id = ${ctx.project.number} AND status = 'SCHEDULED' AND (scheduled_for, id) < (${scheduledFor}, ${id})
        LIMIT ${maxMinutes * maxSendingAtOnce})) AS ahead`,
    columns({ sending: asNumber, ahead: asNumber }),
  );
  if (sending < maxSendingAtOnce) return null;
  return minuteMs * Math.min(maxMinutes, 1 + Math.floor(ahead / maxSendingAtOnce));
}
