import { sql } from "drizzle-orm";
import { KeyReused } from "../../core/idempotency-errors";
import { SendingPaused } from "../../core/mail/errors";
import type { EmailType } from "../../core/mail/status";
import { asOneOf, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { templatesWithVersions } from "../../db/templates";
import { findEffect } from "../../engine/idempotency/effect";
import { carriesMarketing, requireCarrier } from "../../engine/mail/accept/require-carrier";
import { pauseOf } from "../../engine/projects/sending-paused";
import type { Context } from "../../platform/context";
import type { SendEmail } from "./schema";

/**
 * Refuses marketing email while it is paused, or while no provider carries it, before anything is stored. Reads the
 * database only in these two cases, to find out whether the template is a MARKETING one and whether the call repeats an
 * earlier one.
 */
export async function refuseMarketing(ctx: Context, { template }: SendEmail): Promise<void> {
  const pause = pauseOf(ctx.project);
  if ((pause === null && carriesMarketing(ctx)) || !template) return;
  const found = await selectFirst(
    ctx.db,
    sql`SELECT v.type FROM ${templatesWithVersions} WHERE ${inProject(ctx, "t")} AND t.id = ${template}`,
    columns({ type: asOneOf<EmailType>() }),
  );
  if (found?.type !== "MARKETING") return;
  const { idempotencyKey: key, requestHash: hash } = ctx;
  const effect = key === null ? null : await findEffect(ctx, key);
  if (key !== null && effect) throw new KeyReused({ key, request: "POST /v1/send", hash }, effect);
  requireCarrier(ctx, found.type);
  if (pause !== null) throw new SendingPaused(pause);
}
