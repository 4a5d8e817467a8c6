import type { NamedContact } from "../../../core/contacts/named-contact";
import { NotFound } from "../../../core/errors";
import { type Id, publicId, publicIdOrNull } from "../../../core/ids";
import { findNamedContact } from "../../../engine/contacts/named-contact";
import { verdictOfContact } from "../../../engine/recipients/of-contact";
import { findLedgerEmail, verdictOfEmail } from "../../../engine/recipients/of-email";
import type { Context } from "../../../platform/context";
import { getCampaign } from "../campaign";
import type { CampaignExplanation } from "./schema";

/**
 * `GET /campaigns/{id}/explain`: explains whether one contact gets a campaign, and why. Throws NotFound for an unknown
 * campaign or contact.
 */
export async function explainCampaign(ctx: Context, id: Id, named: NamedContact): Promise<CampaignExplanation> {
  const [campaign, contact] = await Promise.all([getCampaign(ctx, id), findNamedContact(ctx, named)]);
  // The campaign may still have the email of a deleted contact.
  const contactId = contact?.id ?? named.contactId ?? null;
  const email = contactId === null ? null : await findLedgerEmail(ctx, id, contactId);
  const names = { contactId: publicIdOrNull(contactId), email: contact?.email ?? (email?.toEmail || null) };
  if (email !== null) return { ...names, emailId: publicId(email.id), ...verdictOfEmail(email) };
  if (contact !== null) return { ...names, emailId: null, ...(await verdictOfContact(ctx, campaign, contact)) };
  if (contactId !== null) throw new NotFound("contact", contactId);
  return {
    ...{ contactId: null, email: named.email ?? null, emailId: null, inAudience: false, outcome: "NO_CONTACT" },
    reasons: [{ code: "no_contact", message: "No contact of this project has the address" }],
    basis: campaign.frozen === null ? "DRAFT" : "FROZEN",
    asOf: ctx.now.toISOString(),
  };
}
