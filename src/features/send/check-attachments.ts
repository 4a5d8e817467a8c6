import { Invalid } from "../../core/errors";
import { utf8Bytes } from "../../core/json";
import {
  type Attachment,
  decodedBytes,
  maxMessageBytes,
  messageBytes,
  readAttachments,
} from "../../core/mail/attachments";
import type { Context } from "../../platform/context";
import type { SendEmail } from "./schema";

/** Refuses more or larger files than an email may have, before anything is written. */
export function checkAttachments(ctx: Context, call: SendEmail): Attachment[] {
  const attachments = readAttachments(call.attachments ?? []);
  const { maxAttachments, maxAttachmentBytes } = ctx.config;
  const refuse = (message: string) => new Invalid([{ field: "attachments", code: "too_big", message }]);
  if (attachments.length > maxAttachments) throw refuse(`At most ${maxAttachments} attachments per email`);
  const files = attachments.map(({ content }) => ({ size: decodedBytes(content) }));
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > maxAttachmentBytes) throw refuse(`All attachments together may have at most ${maxAttachmentBytes} bytes`);
  if (messageBytes(utf8Bytes(call.body ?? ""), files) > maxMessageBytes) {
    throw refuse(`The complete message would be larger than ${maxMessageBytes} bytes`);
  }
  return attachments;
}
