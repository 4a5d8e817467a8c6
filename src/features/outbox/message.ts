import { sql } from "drizzle-orm";
import PostalMime, { type Address, type Attachment, decodeWords } from "postal-mime";
import { publicId, textOf } from "../../core/ids";
import { iso } from "../../core/time";
import { asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import type { OutboxRow } from "../../db/tables";
import { blobKey } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

/** The row of a stored mail, without its source, and its project. */
export interface StoredMail {
  row: Omit<OutboxRow, "source">;
  /** The mail's project; null for an email of the installation itself. */
  project: { id: string; number: number; shard: string; name: string } | null;
}

/** A stored mail as its recipient would see it: parsed from its MIME source, not from the data it was made of. */
export interface OutboxMessage {
  id: string;
  emailId: string;
  projectId: string | null;
  to: string;
  from: string;
  replyTo: string | null;
  subject: string;
  headers: [name: string, value: string][];
  html: string | null;
  text: string | null;
  attachments: {
    filename: string | null;
    contentType: string;
    disposition: string | null;
    contentId: string | null;
    size: number;
  }[];
  createdAt: string;
}

export async function openMessage(
  platform: Platform,
  { row, project }: StoredMail,
): Promise<OutboxMessage & { raw: string }> {
  const source = await sourceOf(platform, { row, project });
  const mail = await PostalMime.parse(source);
  return {
    id: publicId(row.id),
    emailId: publicId(row.emailId),
    projectId: project?.id ?? null,
    to: (mail.to ?? []).map(addressText).join(", "),
    from: mail.from ? addressText(mail.from) : "",
    replyTo: mail.replyTo?.map(addressText).join(", ") ?? null,
    subject: mail.subject ?? "",
    // In the order of the source, with the original spelling of names.
    headers: mail.headers.map(({ originalKey, value }) => [originalKey, decodeWords(value)]),
    html: asWritten(mail.html),
    text: asWritten(mail.text),
    attachments: mail.attachments.map(attachmentJson),
    createdAt: iso(row.createdAt),
    raw: typeof source === "string" ? source : new TextDecoder().decode(source),
  };
}

async function sourceOf(platform: Platform, { row, project }: StoredMail): Promise<string | Uint8Array> {
  const inRow = await selectFirst(
    platform.control,
    sql`SELECT source FROM outbox_messages WHERE ${inProject({ project: { number: row.projectId } })} AND id = ${row.id}`,
    columns({ source: orNull(asText) }),
  );
  const stored = project && (() => platform.blobs.get(blobKey("outbox", project.id, textOf(row.id))));
  const source = inRow?.source ?? (await stored?.()) ?? null;
  if (source === null) throw new Error(`The source of outbox message ${textOf(row.id)} is gone`);
  return source;
}

/**
 * Restores a part as it was written: the source ends lines with CRLF, and the parser appends a line break to every
 * part.
 */
function asWritten(part: string | undefined): string | null {
  return part?.replaceAll("\r\n", "\n").replace(/\n$/, "") ?? null;
}

function addressText({ name, address }: Address): string {
  return name ? `${name} <${address}>` : (address ?? "");
}

function attachmentJson({ filename, mimeType, disposition, contentId, content }: Attachment) {
  return {
    filename,
    contentType: mimeType,
    disposition,
    contentId: contentId?.replace(/^<|>$/g, "") ?? null,
    size: typeof content === "string" ? content.length : content.byteLength,
  };
}
