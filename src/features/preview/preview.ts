import { sql } from "drizzle-orm";
import { maxHtmlBytes } from "../../core/campaigns/tally";
import { Invalid, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import { type Flaw, flawsOf } from "../../core/mail/flaws";
import type { EmailType } from "../../core/mail/status";
import { madeLinks } from "../../core/tracking/made-links";
import { asFlag, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import { checkContent } from "../../engine/mail/accept/check-liquid";
import { imprintWarnings, missingImprint } from "../../engine/mail/accept/imprint";
import { linkBase } from "../../engine/mail/links";
import { previewMail } from "../../engine/mail/preview";
import type { Context } from "../../platform/context";
import type { ContentPreview, PreviewContent } from "./schema";

/** `POST /preview`: renders content that is not saved, as templates and campaigns compose it. Nothing is stored. */
export async function previewContent(ctx: Context, asked: PreviewContent): Promise<ContentPreview> {
  const { subject, body, previewText, topicId } = asked;
  const type = asked.type ?? "MARKETING";
  checkContent(ctx, asked);
  if (topicId) await checkTopic(ctx, type, topicId);
  const mail = await previewMail(ctx, { type, subject, body, previewText: previewText || null }, asked);
  const bytes = utf8Bytes(mail.html);
  const lacking = missingImprint(ctx, type);
  if (lacking !== null) ctx.warnings.push(imprintWarnings[lacking]);
  if (bytes > maxHtmlBytes) {
    ctx.warnings.push({ field: "body", message: `Gmail clips an email after ${maxHtmlBytes} bytes of HTML` });
  }
  for (const [flaw, examples] of flawsOf(mail.html)) {
    ctx.warnings.push(...examples.map((example) => ({ field: "body", message: `${messages[flaw]}: ${example}` })));
  }
  return { ...mail, links: madeLinks(mail.html, body, linkBase(ctx) ?? ""), bytes, warnings: ctx.warnings };
}

async function checkTopic(ctx: Context, type: EmailType, topicId: Id): Promise<void> {
  const topic = sql`SELECT 1 FROM topics WHERE ${inProject(ctx)} AND id = ${topicId} AND deleted_at IS NULL`;
  const { isThere } = await selectOne(ctx.db, sql`SELECT EXISTS (${topic}) AS is_there`, columns({ isThere: asFlag }));
  if (!isThere) throw new NotFound("topic", topicId);
  if (type === "MARKETING") return;
  const message = `Only MARKETING email can have a topic, and this one is ${type}`;
  throw new Invalid([{ field: "topicId", code: "custom", message }]);
}

const messages: Record<Flaw, string> = {
  empty_link: "A link leads nowhere",
  link_not_absolute: "A link is not a complete URL, so it does not work in an email",
  image_without_alt: "An image has no alt text, which is shown when images are not",
};
