import { z } from "zod";
import { readTag } from "../../../core/mail/tag";
import { type Answer, isSuccess } from "../call";
import { postmarkTagName } from "./notices";
import type { PostmarkSettings } from "./settings";

/**
 * The name of the metadata field that contains the id of the call. All emails of a call share the id, so that a search,
 * which can filter by only one field, finds them all.
 */
export const postmarkCallName = "petrel-call";

/** The maximum number of messages in one answer. A call has fewer emails. */
const maxMessages = 500;

const FoundMessages = z.object({
  TotalCount: z.number().max(maxMessages),
  Messages: z.array(z.object({ MessageID: z.string(), Metadata: z.record(z.string(), z.string()) })),
});

/**
 * Searches for the messages of a call, which may be sent or still queued at Postmark. Each stream is searched, because
 * a search without a stream covers only the default one.
 */
export async function lookUpPostmark(
  { stream, broadcastStream }: PostmarkSettings,
  key: string,
  get: (path: string) => Promise<Answer>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const messagestream of new Set([stream, broadcastStream ?? stream])) {
    const query = new URLSearchParams({
      ...{ count: String(maxMessages), offset: "0", messagestream },
      [`metadata_${postmarkCallName}`]: key,
    });
    const answer = await get(`messages/outbound?${query}`);
    if (!isSuccess(answer)) throw new Error(`Postmark answered a search with ${answer.status}`);
    const { TotalCount, Messages } = FoundMessages.parse(answer.body);
    if (Messages.length < TotalCount) throw new Error("Postmark did not list all messages that it found");
    for (const { MessageID, Metadata } of Messages) {
      // If the search ignored the filter, it would find emails of other calls, and could miss ours among them.
      if (Metadata[postmarkCallName] !== key) throw new Error("Postmark found messages of another call");
      const tag = readTag(Metadata[postmarkTagName] ?? "");
      if (tag) found.set(tag.emailId, MessageID);
    }
  }
  return found;
}
