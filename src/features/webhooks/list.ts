import { desc } from "drizzle-orm";
import { inProject } from "../../db/scope";
import { type WebhookRow, webhooks } from "../../db/tables";
import type { Context } from "../../platform/context";

/** Returns all webhooks of the project, newest first: at most 20. */
export async function listWebhooks(ctx: Context): Promise<WebhookRow[]> {
  return ctx.db.select().from(webhooks).where(inProject(ctx)).orderBy(desc(webhooks.id));
}
