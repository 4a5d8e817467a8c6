import { mailsPerRound } from "../../../core/mail/permits";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { Delivery } from "./delivery";
import type { Repeat } from "./repeats";

/** The calls of the next round: one call with several emails, several calls with one email each, or a repeated call. */
export interface PlannedRound {
  kind: "shared" | "single" | "repeat";
  emails: EmailRow[];
  /** The call to repeat; null unless the round repeats a call. */
  repeat: Repeat | null;
}

/** The emails that a delivery has not handled yet. */
export interface Waiting {
  emails: EmailRow[];
  repeats: Repeat[];
}

/**
 * Plans one round. Repeated calls come first, then emails that can share a call, then those that are sent alone, and
 * finally the large ones, one by one, because several would not fit into memory.
 */
export function nextRound(ctx: Context, delivery: Delivery, waiting: Waiting, callsAtOnce: number): PlannedRound {
  const [repeat] = waiting.repeats;
  if (repeat) return { kind: "repeat", emails: repeat.emails, repeat };
  const single = (emails: EmailRow[]): PlannedRound => ({ kind: "single", emails, repeat: null });
  if (delivery.isAgain) return single(waiting.emails.slice(0, 1));
  const small = waiting.emails.filter(({ contentId }) => !delivery.large.has(contentId));
  const sharing = small.filter((email) => mayShare(ctx, delivery, email)).slice(0, ctx.mailer.mailsPerCall);
  if (sharing.length > 1) return { kind: "shared", emails: sharing, repeat: null };
  return single(small.length > 0 ? small.slice(0, mailsPerRound(callsAtOnce)) : waiting.emails.slice(0, 1));
}

/**
 * Whether an email may share a call. An email that was tried before goes alone, because it may have caused the refusal
 * of a shared call.
 */
function mayShare({ mailer }: Context, { contents }: Delivery, { attempts, uncertainSince, contentId }: EmailRow) {
  if (mailer.mailsPerCall === 1 || attempts > 0 || uncertainSince !== null) return false;
  return mailer.sharesCallsWithFiles || contents.get(contentId)?.attachments.length === 0;
}
