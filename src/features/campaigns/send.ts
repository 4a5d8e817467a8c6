import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { publicId } from "../../core/ids";
import type { Statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { insertEffect } from "../../engine/idempotency/effect";
import { storedAnswer } from "../../engine/idempotency/stored-answer";
import { imprintWarnings, missingImprint } from "../../engine/mail/accept/imprint";
import { requireCarrier } from "../../engine/mail/accept/require-carrier";
import type { Context } from "../../platform/context";
import type { SendCampaign } from "./actions/schema";
import { campaignJson } from "./campaign";
import { requirePreflight } from "./preflight/token";
import { preparing } from "./progress";
import { requireProofForMany } from "./require-proof";
import { scheduleCampaign, startTimeOf } from "./schedule";
import type { Campaign } from "./schema";
import { startCampaign } from "./start";

/** The answer to the call. */
export interface SendAnswer {
  success: true;
  data: Campaign;
  message: string;
}

/**
 * `POST /campaigns/{id}/send`: sends the campaign now, or schedules it. If the call has an idempotency key, this
 * happens once per key, and the same batch stores the answer with the key. If the call has the token of a pre-flight,
 * only the version that was checked is sent or scheduled.
 */
export async function sendCampaign(ctx: Context, id: Id, input: SendCampaign): Promise<SendAnswer> {
  const { preflightToken: token } = input;
  const at = startTimeOf(ctx, input);
  const checkAndStore = async (row: CampaignRow): Promise<Statement[]> => {
    requireCarrier(ctx, row.type);
    await requireProofForMany(ctx, row);
    // The batch fails when the campaign differs from this row, and the next attempt checks the new row.
    if (token !== undefined) await requirePreflight(ctx, row, token);
    const lacking = missingImprint(ctx, row.type);
    const warning = lacking && imprintWarnings[lacking];
    // This code runs again when the campaign has changed, but the warning is added only once.
    if (warning && !ctx.warnings.includes(warning)) ctx.warnings.push(warning);
    if (ctx.idempotencyKey === null) return [];
    const { data, ...rest } = await answer(ctx, row, at);
    const response = sql`${storedAnswer(data, (stored) => ({ ...rest, data: stored }))}`;
    return insertEffect(ctx, { request: `POST /campaigns/${publicId(id)}/send`, response, onlyIf: sql`true` });
  };
  const row =
    at === null
      ? await startCampaign(ctx, id, "send", checkAndStore)
      : await scheduleCampaign(ctx, id, at, checkAndStore);
  return answer(ctx, row, at);
}

async function answer(ctx: Context, row: CampaignRow, at: number | null): Promise<SendAnswer> {
  const data = await campaignJson(ctx, row, [], row.status === "SENDING" ? preparing : null);
  if (at === null) return { success: true, data, message: "Campaign is being sent" };
  const isPast = at <= ctx.now.getTime();
  const late = isPast ? ", which has passed: it starts within a minute" : "";
  return { success: true, data, message: `Campaign scheduled for ${new Date(at).toISOString()}${late}` };
}
