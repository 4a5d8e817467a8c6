import { z } from "zod";

const maxFilenameLength = 255;
const maxItems = 100;
// Patterns for the parts of a media type (RFC 2045, section 5.1). They are strict, because the caller's type is copied
// into the file's headers. They are also published in the OpenAPI document, where patterns cannot have flags.
const token = "[A-Za-z0-9!#$&^_.+-]{1,127}";
const parameter = `[ \\t]{0,4};[ \\t]{0,4}${token}=(?:${token}|"(?:[ !#-\\[\\]-~]|\\\\[ -~]){0,127}")`;
const mediaType = new RegExp(`^${token}/${token}(?:${parameter}){0,10}$`);
const maxMediaTypeLength = 500;
// Types and parameters that are refused. A file of a multipart or message type would be parsed as a part of our
// message, and a parameter `boundary` could cut the file short. The name of the file belongs in `filename`, not in a
// parameter.
const composite = /^(?:multipart|message)\//i;
const ownParameter = /;[ \t]*(?:boundary|name)=/i;
// The part of a Content-ID to which `cid:` in a body refers (RFC 2392).
const contentId = /^[!#-;=?-[\]-~]{1,200}$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The bytes in one line of base64, which has 76 characters and a line break. */
const bytesPerLine = 57;
const charactersPerLine = 78;
/** The estimated size of the headers of one part, and also of the headers of the whole message. */
const headerBytes = 2_048;

/** The maximum size of a complete message that the API accepts, in bytes. */
export const maxMessageBytes = 40 * 1024 * 1024;

/** A file attached to an email. Its content stays in base64, as it was received. */
export interface Attachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  disposition: "attachment" | "inline";
  content: string;
}

/** The stored facts of a file, without its content. */
export interface AttachmentRow extends Omit<Attachment, "content"> {
  /** The number of bytes after decoding. */
  size: number;
}

const MediaType = z
  .string()
  .max(maxMediaTypeLength)
  .regex(mediaType, "Must be a MIME type such as application/pdf or text/calendar; method=REQUEST")
  .refine((type) => !composite.test(type), {
    message: "May not be a multipart or message type: send the file as application/octet-stream",
    params: { code: "invalid_string" },
  })
  .refine((type) => !ownParameter.test(type), {
    message: "May not have the parameters boundary or name: the name of the file is filename",
    params: { code: "invalid_string" },
  })
  .meta({ description: "The MIME type of the file. It may have parameters: `text/calendar; method=REQUEST`." });

export const AttachmentInput = z
  .object({
    filename: z
      .string()
      .min(1)
      .max(maxFilenameLength)
      .refine((name) => !/["\p{Cc}]/u.test(name) && name.isWellFormed(), {
        message: "May not contain quotes or line breaks",
        params: { code: "invalid_string" },
      }),
    content: z
      .string()
      .refine((content) => content.length % 4 === 0 && base64.test(content), {
        message: "Must be base64 (RFC 4648, section 4)",
        params: { code: "invalid_string" },
      })
      .meta({ format: "byte", description: "The content of the file in base64." }),
    contentType: MediaType.optional(),
    type: MediaType.optional().meta({
      description: "Another name for `contentType`. Ignored if you send `contentType`.",
    }),
    contentId: z.string().regex(contentId, "May not contain spaces, quotes or angle brackets").nullish().meta({
      description: "Required for an inline file; the body refers to it as `cid:<contentId>`.",
    }),
    disposition: z.enum(["attachment", "inline"]).nullish().meta({ description: "Default: `attachment`." }),
  })
  .superRefine(({ contentType, type, contentId, disposition }, check) => {
    const missing = (field: string) =>
      check.addIssue({ code: "custom", path: [field], message: "Required", params: { code: "required" } });
    if (contentType === undefined && type === undefined) missing("contentType");
    if (disposition === "inline" && !contentId) missing("contentId");
  });

/** The `attachments` of `/v1/send`. Their maximum number and size are settings, which the verb checks. */
export const AttachmentsInput = z
  .preprocess(firstItems, z.array(AttachmentInput))
  .meta({ description: "At most 10 files and 10 MB together, unless the installation sets other limits." });

/**
 * Keeps one item more than any installation may allow, which is enough to refuse the list without validating millions
 * of items.
 */
function firstItems(items: unknown): unknown {
  return Array.isArray(items) ? items.slice(0, maxItems + 1) : items;
}

export function readAttachments(items: z.infer<typeof AttachmentsInput>): Attachment[] {
  return items.map(({ filename, content, contentType, type, contentId, disposition }) => ({
    filename,
    // The schema requires `contentType` or `type`.
    contentType: contentType ?? type ?? "application/octet-stream",
    contentId: contentId ?? null,
    disposition: disposition ?? "attachment",
    content,
  }));
}

/** Returns the size of a file from the length of its base64. */
export function decodedBytes(content: string): number {
  const padding = content.endsWith("==") ? 2 : content.endsWith("=") ? 1 : 0;
  return (content.length / 4) * 3 - padding;
}

/** Returns the minimum size of a message: the files as lines of base64, and the texts unencoded. */
export function messageBytes(bodyBytes: number, attachments: { size: number }[]): number {
  return attachments.reduce(
    (sum, { size }) => sum + Math.ceil(size / bytesPerLine) * charactersPerLine + headerBytes,
    bodyBytes + headerBytes,
  );
}
