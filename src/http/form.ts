import type { Context as HonoContext } from "hono";

/**
 * The size limit of a form, in bytes. A form has one or two buttons and the fields that a mailbox provider adds.
 */
const maxFormBytes = 8 * 1024;

/**
 * Reads the fields of a posted form, urlencoded or multipart, because RFC 8058 allows both. A form that is unreadable
 * or much too large counts as one without fields, because only the POST itself matters.
 */
export async function readForm(c: HonoContext): Promise<Map<string, string>> {
  const { raw } = c.req;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of raw.body ?? []) {
    size += chunk.byteLength;
    if (size > maxFormBytes) return new Map();
    chunks.push(chunk);
  }
  const headers = { "Content-Type": raw.headers.get("Content-Type") ?? "" };
  const form = await new Response(new Blob(chunks), { headers }).formData().catch(() => null);
  const fields = new Map<string, string>();
  form?.forEach((value, name) => {
    if (typeof value === "string") fields.set(name, value);
  });
  return fields;
}
