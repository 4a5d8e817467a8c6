import { sql } from "drizzle-orm";
import { type References, referencesOf } from "../../core/audience/references";
import { Invalid, NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { domainOf } from "../../core/mail/address";
import { UnverifiedSender } from "../../core/mail/errors";
import type { EmailType } from "../../core/mail/status";
import { searchText } from "../../core/search";
import type { Batch } from "../../db/batch";
import { inProject } from "../../db/scope";
import { verifiedDomain } from "../../db/sender-domain";
import { guard, type Statement } from "../../db/statement";
import { type CampaignRow, campaigns } from "../../db/tables";
import { guardTopic } from "../../db/topics";
import { insertRow, updateRow } from "../../db/write-row";
import { checkCondition } from "../../engine/audience/named-segments";
import { replaceReferences } from "../../engine/audience/record-references";
import type { Context } from "../../platform/context";
import { type Draft, fieldsOf } from "./draft";

/** Returns the guards for saving a draft. Reads the segments that the draft's condition names. Throws Invalid. */
export async function guardDraft(ctx: Context, draft: Draft): Promise<Statement[]> {
  const { segmentId, audienceCondition, topicId, type } = draft;
  if (topicId !== null && type !== "MARKETING") throw topicMisfits(type);
  const segmentExists = segmentId && sql`EXISTS (SELECT 1 FROM segments WHERE ${inProject(ctx)} AND id = ${segmentId})`;
  return [
    ...(topicId ? [guardTopic(ctx, topicId)] : []),
    ...(segmentId && segmentExists ? [guard(segmentExists, () => new NotFound("segment", segmentId))] : []),
    ...(audienceCondition ? [(await checkCondition(ctx, audienceCondition, { at: "audienceCondition" })).unmoved] : []),
  ];
}

/**
 * Returns the error for a topic of a campaign that is not MARKETING. Only MARKETING mail must have the links by which
 * contacts leave a topic.
 */
function topicMisfits(type: EmailType): Invalid {
  const message = `Only a MARKETING campaign can have a topic, and this one is ${type}`;
  return new Invalid([{ field: "topicId", code: "custom", message }]);
}

/** Returns guards for the senders that a call names: each domain is verified and belongs to the project. */
export function guardSenders(ctx: Context, senders: Iterable<string>): Statement[] {
  const domains = new Set([...senders].map(domainOf));
  return [...domains].map((domain) =>
    guard(sql`EXISTS (${verifiedDomain(ctx, domain)})`, () => new UnverifiedSender(domain)),
  );
}

/** Returns all addresses that a campaign sends from. */
export function sendersOf({ fromEmail, variants }: Pick<Draft, "fromEmail" | "variants">): string[] {
  return [fromEmail, ...(variants ?? []).flatMap(({ from }) => from ?? [])];
}

/**
 * Records that the audience names these segments, fields and events, so that they count as in use until the campaign
 * has ended.
 */
export function addReferences(batch: Batch, ctx: Context, id: Id, draft: Draft): void {
  batch.addAll(replaceReferences(ctx, { referrer: "campaign", id, name: draft.name }, namedBy(draft)));
}

function namedBy({ segmentId, audienceCondition }: Draft): Partial<References> {
  if (segmentId) return { segments: [publicId(segmentId)] };
  return audienceCondition ? referencesOf(audienceCondition) : {};
}

export function insertCampaign(ctx: Context, id: Id, draft: Draft): Statement<CampaignRow> {
  const now = ctx.now.getTime();
  return insertRow(campaigns, {
    ...fieldsOf(draft),
    ...{ projectId: ctx.project.number, id, status: "DRAFT", searchText: searchTextOf(draft) },
    ...{ createdAt: now, updatedAt: now },
  });
}

export function updateDraft(ctx: Context, id: Id, draft: Draft): Statement<CampaignRow> {
  return updateRow(ctx, campaigns, id, { ...fieldsOf(draft), searchText: searchTextOf(draft) });
}

function searchTextOf({ name, subject, fromEmail, fromName }: Draft): string {
  return searchText(name, subject, fromEmail, fromName);
}
