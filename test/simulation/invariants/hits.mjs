import { addressOf } from "../people/contacts.mjs";
import { emailOfTag } from "./ids.mjs";
import { tenantOf } from "./mail.mjs";
import { isLost } from "./restored.mjs";

const columns = { open: ["opens", "opened_at"], click: ["clicks", "clicked_at"] };
/** An isolate tells the queue of a hit after its answer, at most so much later. */
const toldWithinMs = 10_000;
/** It may have been recorded between a bookmark and the restore, minutes later. */
const unrecorded = { earlierMs: 180_000, lateMs: 10_000 };

/** Each open and click is recorded once, unless the isolate that answered died before it could tell. */
export function hitsMiscounted(state) {
  const { emails, facts, saidFacts } = state;
  const isOver = new Set(
    saidFacts.filter(({ is }) => is === "deleted" || is === "erased").map((fact) => fact.email ?? fact.tenant),
  );
  const hits = Map.groupBy(
    facts.filter(({ is }) => is === "hit"),
    ({ tag }) => emailOfTag(tag),
  );
  return emails.flatMap((email) => {
    const own = hits.get(email.id) ?? [];
    const address = own.length > 0 ? addressOf(own[0].mail) : null;
    if (address === null || isOver.has(address) || isOver.has(address.split("@")[1].split(".")[0])) return [];
    return Object.keys(columns).flatMap((kind) =>
      faultsOf(
        email,
        kind,
        own.filter((hit) => hit.kind === kind),
        state,
      ),
    );
  });
}

/** The provider may report one open in addition, or two if a restore had it take the mail again. */
function faultsOf(email, kind, hits, state) {
  const [count, at] = columns[kind];
  // After a restore, nobody knows of an email that went out in the time that is lost.
  const isForgotten = ({ mail, at: takenAt, answer: { at } }) =>
    isLost(state, tenantOf(mail), takenAt, { lateMs: unrecorded.lateMs }) ||
    isLost(state, tenantOf(mail), at, unrecorded);
  const sure = hits.filter((hit) => {
    const { status, at, isolate } = hit.answer;
    return status > 0 && !(isolate.diedAt < at + toldWithinMs) && !isForgotten(hit);
  });
  const most = hits.length + (kind === "open" ? 1 + state.restored.length : 0);
  if (email[count] < sure.length) return [`${email.id} counts ${email[count]} ${count}, and had ${sure.length}`];
  if (email[count] > most) return [`${email.id} counts ${email[count]} ${count}, and had at most ${most}`];
  return sure.length > 0 && email[at] === null ? [`${email.id} was hit by a ${kind}, and ${at} is empty`] : [];
}
