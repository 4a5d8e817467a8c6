import { sha256 } from "@noble/hashes/sha2.js";
import { z } from "zod";
import { toBase64url } from "../base64url";
import { asId } from "../ids";

/** One open or click. */
export const Hit = z.strictObject({
  /**
   * The id of the hit, which is the same when the hit is reported twice. It is created where the hit is received, or by
   * the provider that reports the hit.
   */
  id: z.string(),
  kind: z.enum(["open", "click"]),
  emailId: z.string().transform(asId),
  /** The time of the hit, in milliseconds since 1970. */
  at: z.number(),
  /** The URL of a click. */
  link: z.string().optional(),
  /** The number of the clicked link. Absent when a provider reported the click. */
  number: z.number().int().optional(),
  /** Whether a scanner or a proxy made the hit instead of a person. */
  isAutomated: z.boolean(),
});
export type Hit = z.infer<typeof Hit>;

/**
 * The maximum number of opens and clicks of one email that are counted and recorded as events. There is a limit because
 * anyone who has a link can follow it any number of times.
 */
export const maxHits = { opens: 100, clicks: 100, automatedClicks: 50 } as const;

/** The length of the key of one hit. `emails.hits` is the concatenation of these keys. */
export const hitKeyLength = 11;

const utf8 = new TextEncoder();

/** Makes the key of a hit: a space and ten letters, so that two adjacent keys never contain a third. */
export function hitKey({ id }: Pick<Hit, "id">): string {
  return ` ${toBase64url(sha256(utf8.encode(id))).slice(0, hitKeyLength - 1)}`;
}
