import { newId, textOf } from "../../../core/ids";
import { ended } from "../../../core/mail/outcome";
import type { ComposedRound } from "./compose";
import { type Call, resultOf } from "./hand-over";
import type { PlannedRound } from "./plan-round";
import type { Result } from "./record";
import type { Repeat } from "./repeats";

/** The calls of a composed round, the emails that end without a call, and those that could not be composed now. */
interface PlannedCalls {
  next: Call[];
  ended: Result[];
  failed: ComposedRound["failed"];
}

export function callsOf({ kind, repeat }: PlannedRound, composed: ComposedRound): PlannedCalls {
  const { ready, ended, failed } = composed;
  if (repeat) return repeated(repeat, composed);
  if (kind === "shared") {
    return { next: ready.length > 0 ? [{ id: newCallId(), mails: ready, isRepeat: false }] : [], ended, failed };
  }
  const next = ready.map((mail): Call => {
    const { uncertainSince, round } = mail.email;
    const known = uncertainSince === null ? null : round;
    return { id: known ?? newCallId(), mails: [mail], isRepeat: known !== null };
  });
  return { next, ended, failed };
}

function newCallId(): string {
  return textOf(newId());
}

/** Repeats a call completely or not at all: the provider would not recognise it with different mails. */
function repeated(repeat: Repeat, { ready, failed }: ComposedRound): PlannedCalls {
  const mine = repeat.emails.filter(({ status, round }) => status === "QUEUED" && round === repeat.id);
  const [first] = failed;
  if (first) return { next: [], ended: [], failed: mine.map((email) => ({ email, error: first.error })) };
  if (ready.length > 0 && ready.length === repeat.emails.length) {
    return { next: [{ id: repeat.id, mails: ready, isRepeat: true }], ended: [], failed: [] };
  }
  const lost = "The outcome is unknown, and the call cannot be repeated: one of its emails is gone";
  return {
    next: [],
    ended: mine.map((email) => resultOf(email, ended("FAILED", lost, email.uncertainSince))),
    failed: [],
  };
}
