import { sql } from "drizzle-orm";
import type { StoredVariant } from "../../core/campaigns/campaign";
import type { Id } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import { changeContent } from "../../core/mail/content-fields";
import { isTypeTracked } from "../../core/tracking/mode";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { CampaignRow, ContentRow } from "../../db/tables";
import { updateLeftContents } from "../../engine/mail/forget/left-contents";
import type { Context } from "../../platform/context";

/** The values of new content that do not come from the campaign. The content may be stored, or only composed. */
interface NewContent {
  id: Id;
  at: number;
  linkBase: string | null;
}

/**
 * Returns the content of a campaign's mail in one of its variants. Fields that the variant leaves out come from the
 * campaign.
 */
export function contentOf(
  ctx: Pick<Context, "project">,
  row: CampaignRow,
  variant: StoredVariant | null,
  { id, at, linkBase }: NewContent,
): ContentRow {
  const isOwnBody = variant?.body !== undefined || variant?.bodyKey !== undefined;
  const body = isOwnBody ? (variant?.body ?? null) : row.body;
  const bodyKey = isOwnBody ? (variant?.bodyKey ?? null) : row.bodyKey;
  return {
    projectId: ctx.project.number,
    id,
    ...changeContent(variant ?? {}, row),
    fromName: row.fromName ?? (ctx.project.fromName || null),
    body,
    bodyKey,
    headers: {},
    attachments: [],
    size: body === null ? 0 : utf8Bytes(body),
    ownData: {},
    type: row.type,
    topicId: row.topicId,
    isTracked: isTypeTracked(ctx.project.tracking, row.type),
    isConfirmation: false,
    templateId: row.templateId,
    templateVersionId: null,
    campaignId: row.id,
    variant: variant?.name ?? null,
    linkBase,
    recipients: 0,
    createdAt: at,
  };
}

/**
 * Deletes the contents of a campaign of which no email was written. A content without recipients may have had some, who
 * were erased or forgotten: the records of their emails need it.
 */
export function deleteUnusedContents(ctx: Context, campaignId: Id): Statement {
  return statement(
    sql`DELETE FROM email_contents WHERE ${inProject(ctx)}
      AND id IN (SELECT content.value->>'contentId' FROM campaigns c
        CROSS JOIN json_each(c.frozen, '$.contents') content
        WHERE ${inProject(ctx, "c")} AND c.id = ${campaignId})
      AND id NOT IN (SELECT content_id FROM campaign_counts WHERE ${inProject(ctx)} AND campaign_id = ${campaignId})`,
  );
}

/** Empties the contents that have no recipients left, once the campaign's run is deleted. Until then, they are kept. */
export function emptyLeftContents(ctx: Context, campaignId: Id): Statement {
  const contents = sql`SELECT project_id, content_id FROM campaign_counts WHERE ${inProject(ctx)} AND campaign_id = ${campaignId}`;
  return updateLeftContents(contents, { isErased: false });
}
