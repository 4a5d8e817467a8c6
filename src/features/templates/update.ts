import { sql } from "drizzle-orm";
import { Refusal } from "../../core/errors";
import { type Id, newIdAt, textOf } from "../../core/ids";
import { domainOf } from "../../core/mail/address";
import { changeContent, contentColumns } from "../../core/mail/content-fields";
import { UnverifiedSender } from "../../core/mail/errors";
import { searchText } from "../../core/search";
import { openBatch } from "../../db/batch";
import { isUnchanged, Stale, untilFresh } from "../../db/fresh";
import { isInserted, rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { templates, type VersionRow } from "../../db/tables";
import { guardTopic } from "../../db/topics";
import { recordChange } from "../../engine/audit/record-change";
import { requireAuditedVersion } from "../../engine/audit/require-version";
import { checkContent } from "../../engine/mail/accept/check-liquid";
import { forgetBody, type StoredBody, storeBody, templateBody } from "../../engine/mail/body";
import { getTemplate, type StoredTemplate } from "../../engine/mail/template";
import type { Context } from "../../platform/context";
import { auditedTemplate } from "./audited";
import { insertVersion, updateLeft } from "./save-statements";
import type { UpdateTemplate } from "./schema";
import { checkTopicFits } from "./topic";

/**
 * `PATCH /templates/{id}`: changes only the fields that are sent. A change of content creates a new version. Two
 * concurrent calls never lose a change: each writes only if the row is unchanged since it was read, and otherwise reads
 * it again.
 */
export async function updateTemplate(ctx: Context, id: Id, change: UpdateTemplate): Promise<StoredTemplate> {
  checkContent(ctx, change);
  const versionId = newIdAt(ctx.now.getTime());
  const given = change.body === undefined ? null : await storeBody(ctx, "template", textOf(versionId), change.body);
  const isUsed = (template: StoredTemplate) => given === null || template.content.bodyKey === given.bodyKey;
  try {
    const after = await untilFresh((tries) => applyChange(ctx, { id, versionId, change, given }, tries), ctx.random);
    if (given && !isUsed(after)) forgetBody(ctx, given);
    return after;
  } catch (error) {
    if (given && error instanceof Refusal) forgetBody(ctx, given);
    throw error;
  }
}

interface TemplateChange {
  id: Id;
  /** The id of the new version that is created if the content changes. */
  versionId: Id;
  change: UpdateTemplate;
  given: StoredBody | null;
}

async function applyChange(
  ctx: Context,
  { id, versionId, change, given }: TemplateChange,
  tries: number,
): Promise<StoredTemplate> {
  const before = await getTemplate(ctx, id);
  if (tries === 1) await requireAuditedVersion(ctx, before.row);
  const isSameBody = change.body === undefined || change.body === (await templateBody(ctx, before.content));
  const content = changedContent(before.content, change, isSameBody ? null : given);
  const name = change.name ?? before.row.name;
  const description = change.description === undefined ? before.row.description : change.description || null;
  const topicId = change.topicId === undefined ? before.row.topicId : change.topicId;
  if (topicId !== null) checkTopicFits(content.type, change.topicId ? "topicId" : "type");
  const isNewVersion = content !== before.content;
  const isSameRow =
    name === before.row.name && description === before.row.description && topicId === before.row.topicId;
  if (!isNewVersion && isSameRow) return before;
  await requireAuditedVersion(ctx, before.row);

  const now = ctx.now.getTime();
  const next = isNewVersion ? { ...content, id: versionId, number: content.number + 1, createdAt: now } : content;
  const isSenderChecked = next.fromEmail !== before.content.fromEmail;
  const batch = openBatch(ctx);
  batch.guard(isUnchanged("templates", before.row), () => new Stale());
  recordChange(batch, ctx, auditedTemplate(ctx, id));
  if (topicId !== null && topicId !== before.row.topicId) batch.add(guardTopic(ctx, topicId));
  if (isNewVersion) {
    batch.recognise(isInserted("template_versions", ctx, next.id));
    batch.add(insertVersion(ctx, next, { isSenderChecked }));
    batch.add(updateLeft(ctx, sql`SELECT ${before.content.id} WHERE ${isInserted("template_versions", ctx, next.id)}`));
  } else {
    // If this call has already committed once, the row is stale, and the next read finds nothing left to change.
    batch.mayRepeat();
  }
  const updated = batch.add(
    // Concurrent calls can commit in another order than they arrived in, and `updatedAt` must not go back.
    statement(
      sql`UPDATE templates SET name = ${name}, description = ${description}, version_id = ${next.id}, topic_id = ${topicId},
          search_text = ${searchText(name, description, next.subject)}, version = version + 1,
          updated_at = max(updated_at, ${now})
        WHERE ${inProject(ctx)} AND id = ${id}
          AND EXISTS (SELECT 1 FROM template_versions WHERE ${inProject(ctx)} AND id = ${next.id})
        RETURNING *`,
      wholeRow(templates),
      { again: rowById("templates", ctx, id) },
    ),
  );
  await batch.commit();
  if (!updated.first) throw new UnverifiedSender(domainOf(next.fromEmail));
  return { row: updated.first, content: next };
}

/** Returns the content after a change: `before` itself when nothing changes. */
function changedContent(before: VersionRow, change: UpdateTemplate, body: StoredBody | null): VersionRow {
  const after: VersionRow = {
    ...before,
    ...changeContent(change, before),
    ...body,
    type: change.type ?? before.type,
  };
  const fields = [...contentColumns, "body", "bodyKey", "type"] as const;
  return fields.some((field) => after[field] !== before[field]) ? after : before;
}
