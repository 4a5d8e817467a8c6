import { sql } from "drizzle-orm";
import { KeyReused } from "../../core/idempotency-errors";
import type { EmailType } from "../../core/mail/status";
import { isFull } from "../../core/storage";
import { refuseWhenFull } from "../../core/storage-limit";
import { asNumber, asOneOf, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import { templatesWithVersions } from "../../db/templates";
import { findEffect } from "../../engine/idempotency/effect";
import type { Context } from "../../platform/context";
import type { SendEmail } from "./schema";

/**
 * Refuses mail that a project cannot send once it has reached its `maxStorageMb`: mail of any type other than
 * TRANSACTIONAL, and mail to addresses that are not contacts yet. Reads the database only for a project that has
 * reached this limit.
 */
export async function refuseWhileFull(ctx: Context, { template, to }: SendEmail): Promise<void> {
  if (!isFull(ctx.project)) return;
  const emails = [...new Set(to.map(({ email }) => email))];
  const found = await selectOne(
    ctx.db,
    sql`SELECT (SELECT v.type FROM ${templatesWithVersions} WHERE ${inProject(ctx, "t")} AND t.id = ${template ?? ""}) AS type,
      (SELECT count(*) FROM json_each(${JSON.stringify(emails)}) r
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value) AS known`,
    columns({ type: orNull(asOneOf<EmailType>()), known: asNumber }),
  );
  // Mail without a template is TRANSACTIONAL, and a template that does not exist is refused later by the call itself.
  if ((found.type ?? "TRANSACTIONAL") === "TRANSACTIONAL" && found.known === emails.length) return;
  const { idempotencyKey: key, requestHash: hash } = ctx;
  const effect = key === null ? null : await findEffect(ctx, key);
  if (key !== null && effect) throw new KeyReused({ key, request: "POST /v1/send", hash }, effect);
  refuseWhenFull(ctx.project);
}
