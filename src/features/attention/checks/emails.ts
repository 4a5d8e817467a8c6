import { sql } from "drizzle-orm";
import { firstIdAt, timeOf } from "../../../core/ids";
import { dayMs, iso } from "../../../core/time";
import { asId, asNumber, asOneOf, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, shownDays } from "../check";
import type { AttentionItem } from "../schema";

/** The maximum number of emails that are counted. */
const maxCounted = 1_000;

const readUnsent = columns({ status: asOneOf<"FAILED" | "UNKNOWN">(), count: asNumber, firstId: asId });

/** Counts the emails of the last `shownDays` days that failed or whose outcome is unknown. */
export const checkEmails: AttentionCheck = (ctx, batch) => {
  const from = firstIdAt(ctx.now.getTime() - shownDays * dayMs);
  const unsent = batch.add(
    statement(
      sql`SELECT status, count(*) AS count, min(id) AS first_id FROM (
          SELECT status, id FROM emails INDEXED BY ix_emails_unsent
          WHERE ${inProject(ctx)} AND status IN ('FAILED', 'UNKNOWN') AND id >= ${from} ORDER BY id DESC LIMIT ${maxCounted})
        GROUP BY status`,
      readUnsent,
    ),
  );
  return () => {
    const isCut = unsent.all.reduce((sum, { count }) => sum + count, 0) === maxCounted;
    return unsent.all.map((group) => ({ ...itemOf(group), ...(isCut ? { isAtLeast: true as const } : {}) }));
  };
};

function itemOf({ status, count, firstId }: ReturnType<typeof readUnsent>): AttentionItem {
  const many = count === 1 ? "1 email" : `${count} emails`;
  const isFailed = status === "FAILED";
  return {
    code: isFailed ? "emails_failed" : "emails_unknown",
    severity: "warn",
    message: isFailed
      ? `${many} failed within the last ${shownDays} days.`
      : `The outcome of ${many} of the last ${shownDays} days is unknown: the provider may have accepted them.`,
    count,
    since: iso(timeOf(firstId)),
    target: null,
    action: {
      text: isFailed
        ? "Read the errors of these emails. POST /emails/{id}/retry sends one of them again, and POST " +
          "/emails/retry all of them."
        : "These emails are never sent again automatically. POST /emails/{id}/retry sends one that did not arrive.",
      method: "GET",
      path: `/emails?status=${status}`,
    },
  };
}
