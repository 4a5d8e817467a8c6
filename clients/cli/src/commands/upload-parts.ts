import type { BeginImport, Petrel } from "petrel-client";
import { progress } from "../screen";

/**
 * How long a part of 5 MB may take: a little longer than the service waits for one, which is enough for a line of 140
 * kbit/s. The service gives up a line that stands still much earlier.
 */
export const partTimeoutMs = 330_000;

/** How often a part that failed is sent again. The waits between the tries add up to a minute or two. */
export const partRetries = 7;

/** Uploads a file in parts, and begins its import. A part that fails is sent again. */
export async function uploadParts(petrel: Petrel, csv: Buffer<ArrayBuffer>, options: Omit<BeginImport, "bytes">) {
  const { id, partBytes, parts } = await petrel.contacts.beginImport({ bytes: csv.byteLength, ...options });
  const shown = progress(`${options.name}, upload`);
  const patience = { timeoutMs: partTimeoutMs, maxRetries: partRetries };
  try {
    for (const { number, bytes, url } of parts) {
      shown.at((number - 1) / parts.length);
      const from = (number - 1) * partBytes;
      const signature = new URL(url ?? "").searchParams.get("signature") ?? "";
      const part = new Blob([csv.subarray(from, from + bytes)]);
      await petrel.contacts.uploadImportPart(id, String(number), part, { signature }, patience);
    }
  } catch (error) {
    // A project may have few uploads open. If this one cannot be given up now, it expires within a day.
    await petrel.contacts.giveUpImport(id).catch(() => {});
    throw error;
  } finally {
    shown.end();
  }
  return petrel.contacts.completeImport(id);
}
