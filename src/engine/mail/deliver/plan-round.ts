import { mailsPerRound } from "../../../core/mail/permits";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { Delivery } from "./delivery";
import type { Repeat } from "./repeats";

/** The next calls of a delivery: one call of several emails, calls of one email each, or a call that is repeated. */
export interface PlannedRound {
  kind: "shared" | "single" | "repeat";
  emails: EmailRow[];
  /** The call to repeat. */
  repeat: Repeat | null;
}

/** The emails that a delivery has not taken up yet. */
export interface Waiting {
  emails: EmailRow[];
  repeats: Repeat[];
}

/**
 * Plans one round: first what can share a call, then what goes alone, last the large ones, because several of them would
 * not fit into memory.
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

/** An email that was tried before goes alone: its fault may have been why the others of its call were refused. */
function mayShare({ mailer }: Context, { contents }: Delivery, { attempts, uncertainSince, contentId }: EmailRow) {
  if (mailer.mailsPerCall === 1 || attempts > 0 || uncertainSince !== null) return false;
  return mailer.sharesCallsWithFiles || contents.get(contentId)?.attachments.length === 0;
}
