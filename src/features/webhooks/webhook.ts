import { and, eq } from "drizzle-orm";
import { NotFound, Unavailable } from "../../core/errors";
import { type Id, publicId, textOf, timeOf } from "../../core/ids";
import { openSealedText, sealText } from "../../core/sealed-text";
import { iso, isoOrNull } from "../../core/time";
import { type WebhookRow, webhooks } from "../../db/tables";
import type { Context, Project } from "../../platform/context";

export function webhookJson(project: Project, row: WebhookRow) {
  return {
    id: publicId(row.id),
    url: row.url,
    events: row.events,
    description: row.description,
    disabled: row.disabledAt !== null,
    disabledReason: row.disabledReason,
    lastSuccessAt: isoOrNull(row.lastSuccessAt),
    projectId: project.id,
    createdAt: iso(timeOf(row.id)),
    updatedAt: iso(row.updatedAt),
  };
}

export async function getWebhook(ctx: Context, id: Id): Promise<WebhookRow> {
  const row = await ctx.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.projectId, ctx.project.number), eq(webhooks.id, id)))
    .get();
  if (!row) throw new NotFound("webhook", id);
  return row;
}

/** Returns the id of an endpoint's listener in `event_listeners`. */
export function listenerId(id: Id): string {
  return `${listenerKind}:${textOf(id)}`;
}

export const listenerKind = "webhook";

const retryAfterSeconds = 60;

/** Encrypts an endpoint's signing secret for its row. */
export async function sealSecret(ctx: Context, id: Id, secret: string): Promise<string> {
  if (ctx.config.webhookSecrets.length === 0) {
    throw new Unavailable("This installation has no key to encrypt webhook secrets.", {
      retryAfterSeconds,
      suggestion: "Ask the operator to set WEBHOOK_SECRETS.",
    });
  }
  return sealText(ctx.config.webhookSecrets, ownerOf(ctx, id), secret);
}

/** Returns the secrets that sign now, newest first, or an empty list if none can be decrypted. */
export async function openSecrets(ctx: Context, row: WebhookRow): Promise<string[]> {
  const isOldGood = row.oldSecretUntil !== null && ctx.realClock().getTime() < row.oldSecretUntil;
  const sealed = [row.secret, ...(isOldGood && row.oldSecret !== null ? [row.oldSecret] : [])];
  const opened = await Promise.all(
    sealed.map((secret) => openSealedText(ctx.config.webhookSecrets, ownerOf(ctx, row.id), secret)),
  );
  return opened.filter((secret) => secret !== null);
}

function ownerOf(ctx: Context, id: Id): string {
  return `webhook ${ctx.project.id} ${textOf(id)}`;
}
