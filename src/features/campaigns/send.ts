import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { publicId } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import type { Statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { insertEffect } from "../../engine/idempotency/effect";
import { imprintWarnings, missingImprint } from "../../engine/mail/imprint";
import type { Context } from "../../platform/context";
import type { SendCampaign } from "./actions/schema";
import { campaignJson } from "./campaign";
import { preparing } from "./progress";
import { readScheduledFor, scheduleCampaign } from "./schedule";
import type { Campaign } from "./schema";
import { startCampaign } from "./start";

/** What the call answers. */
export interface Sent {
  success: true;
  data: Campaign;
  message: string;
}

/**
 * `POST /campaigns/{id}/send`: sends it now, or schedules it. With an idempotency key it happens once per key, and the
 * answer is kept with the key, in the same batch.
 */
export async function sendCampaign(ctx: Context, id: Id, { scheduledFor }: SendCampaign): Promise<Sent> {
  const at = readScheduledFor(scheduledFor);
  const keep = async (row: CampaignRow): Promise<Statement[]> => {
    const lacking = missingImprint(ctx, row.type);
    const warning = lacking && imprintWarnings[lacking];
    // A start that finds the campaign changed is tried again.
    if (warning && !ctx.warnings.includes(warning)) ctx.warnings.push(warning);
    if (ctx.idempotencyKey === null) return [];
    const response = sql`${kept(await answer(ctx, row, at))}`;
    return insertEffect(ctx, { request: `POST /campaigns/${publicId(id)}/send`, response, onlyIf: sql`true` });
  };
  const row = at === null ? await startCampaign(ctx, id, "send", keep) : await scheduleCampaign(ctx, id, at, keep);
  return answer(ctx, row, at);
}

/** A row of the database takes 2 MB at most. */
const maxKeptBytes = 1_500_000;

/** The answer as it is kept with the key: without the bodies if they make it larger than a row. The campaign has them. */
function kept(sent: Sent): string {
  const whole = JSON.stringify(sent);
  if (utf8Bytes(whole) <= maxKeptBytes) return whole;
  const { variants } = sent.data;
  const withoutBodies = variants?.map(({ body: _, ...variant }) => variant) ?? null;
  return JSON.stringify({ ...sent, data: { ...sent.data, body: "", variants: withoutBodies } });
}

async function answer(ctx: Context, row: CampaignRow, at: number | null): Promise<Sent> {
  const data = await campaignJson(ctx, row, [], row.status === "SENDING" ? preparing : null);
  if (at === null) return { success: true, data, message: "Campaign is being sent" };
  const isPast = at <= ctx.now.getTime();
  const late = isPast ? ", which has passed: it starts within a minute" : "";
  return { success: true, data, message: `Campaign scheduled for ${new Date(at).toISOString()}${late}` };
}
