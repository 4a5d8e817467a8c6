import { sha256 } from "@noble/hashes/sha2.js";
import { z } from "zod";
import { toBase64url } from "../base64url";
import { asId } from "../ids";

/** An open or a click, once. */
export const Hit = z.object({
  /** The same when the hit is told twice: made where it happened, or by the provider that reports it. */
  id: z.string(),
  kind: z.enum(["open", "click"]),
  emailId: z.string().transform(asId),
  /** In milliseconds. */
  at: z.number(),
  /** The URL of a click. */
  link: z.string().optional(),
  /** The number of its link. What a provider reports has none. */
  number: z.number().int().optional(),
  /** A scanner or a proxy did it, and not a person. */
  isAutomated: z.boolean(),
});
export type Hit = z.infer<typeof Hit>;

/** As many opens and clicks of one mail are counted, and have an event. Whoever has a link can call it for ever. */
export const maxHits = { opens: 100, clicks: 100, automatedClicks: 50 } as const;

/** A hit in `emails.hits`, which is a text of all of them. */
export const hitKeyLength = 11;

const utf8 = new TextEncoder();

/** It has a blank and ten letters, so that no two neighbours look like a third. */
export function hitKey({ id }: Pick<Hit, "id">): string {
  return ` ${toBase64url(sha256(utf8.encode(id))).slice(0, hitKeyLength - 1)}`;
}
