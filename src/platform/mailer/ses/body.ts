const decoder = new TextDecoder();
/**
 * The maximum number of bytes that are searched for a header. No message has longer headers: at most 50 extra ones of
 * about 1,000 characters each, and our own.
 */
const longestHead = 128 * 1024;

/**
 * Returns the value of a header of a complete message, as one line. Returns an empty text when there is no such header.
 */
export function headerIn(mime: Uint8Array, name: string): string {
  const head = decoder.decode(mime.subarray(0, longestHead));
  const [, value = ""] = new RegExp(`^${name}:([^\\r\\n]*(?:\\r\\n[ \\t][^\\r\\n]*)*)`, "im").exec(head) ?? [];
  return value.replaceAll("\r\n", "").trim();
}

const encoder = new TextEncoder();
/** The bytes in a chunk: a multiple of three, so that the base64 of one chunk continues where the last one ended. */
const chunkBytes = 48 * 1024;

/**
 * Builds the JSON of a raw mail as bytes, chunk by chunk. Otherwise, memory would hold an email with 10 MB of
 * attachments three times: as base64, as JSON and as bytes to sign.
 */
export function rawMailBody(mime: Uint8Array, rest: Record<string, unknown>): Uint8Array<ArrayBuffer> {
  const head = encoder.encode('{"Content":{"Raw":{"Data":"');
  const tail = encoder.encode(`"}},${JSON.stringify(rest).slice(1)}`);
  const base64Bytes = Math.ceil(mime.length / 3) * 4;
  const body = new Uint8Array(head.length + base64Bytes + tail.length);
  body.set(head);
  let at = head.length;
  for (let start = 0; start < mime.length; start += chunkBytes) {
    const chunk = btoa(String.fromCharCode(...mime.subarray(start, start + chunkBytes)));
    at += encoder.encodeInto(chunk, body.subarray(at)).written;
  }
  body.set(tail, at);
  return body;
}
