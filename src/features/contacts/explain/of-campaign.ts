import type { Reason } from "../../../core/campaigns/verdict";
import { publicId } from "../../../core/ids";
import { isoOrNull } from "../../../core/time";
import type { CampaignRow, ContactRow } from "../../../db/tables";
import { verdictOfContact } from "../../../engine/recipients/of-contact";
import { findLedgerEmail } from "../../../engine/recipients/of-email";
import type { Context } from "../../../platform/context";
import { answerOf, explainJudged } from "./of-mail";
import { becauseOfPerson, findPerson } from "./person";
import type { Because, ContactExplanation } from "./schema";
import { findStops } from "./stops";

/**
 * Explains whether a contact gets the mail of a campaign. Uses the campaign's email to the contact if there is one, and
 * otherwise the audience and the present state of the contact.
 */
export async function explainCampaignMail(
  ctx: Context,
  contact: ContactRow,
  campaign: CampaignRow,
): Promise<ContactExplanation> {
  const { id, topicId, status } = campaign;
  const email = await findLedgerEmail(ctx, id, contact.id);
  if (email !== null) return explainJudged(ctx, contact, email);
  const isOver = status === "SENT" || status === "CANCELLED";
  const [{ outcome, reasons }, person, stops] = await Promise.all([
    verdictOfContact(ctx, campaign, contact),
    findPerson(ctx, contact, topicId),
    isOver ? [] : findStops(ctx, campaign),
  ]);
  const ofRecipient = reasons.map((reason) => becauseOfPerson(person, reason) ?? ofCampaign(campaign, reason));
  const verdict = answerOf({ outcome, reasons });
  const isStopped = verdict === "WILL_RECEIVE" && stops.length > 0;
  // The reasons that decide the verdict come first.
  const because = isStopped ? [...stops, ...ofRecipient] : [...ofRecipient, ...stops];
  return { verdict: isStopped ? "NOT_RECEIVED" : verdict, because };
}

function ofCampaign({ id, segmentId, updatedAt, status }: CampaignRow, reason: Reason): Because {
  const at = reason.code === "changed" && status === "CANCELLED" ? isoOrNull(updatedAt) : null;
  if (reason.code === "filter" && segmentId !== null) {
    return { at, ...reason, source: { type: "segment", id: publicId(segmentId) } };
  }
  return { at, ...reason, source: { type: "campaign", id: publicId(id) } };
}
