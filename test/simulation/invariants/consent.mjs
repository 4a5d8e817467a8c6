import { addressOf } from "../people/contacts.mjs";

/** A call to the provider that was on its way when a person opted out may still arrive. */
const onTheWayMs = 10_000;
const vague = new Set(["hangs", "slow", "loses answer"]);

/** What a person or a tenant has refused before a mail was handed over is obeyed. */
export function consentDisobeyed(world, { facts }) {
  const { mails, arrivals } = world.outside.provider;
  const arrived = Map.groupBy(arrivals, ({ tag }) => tag);
  const of = (kind) =>
    Map.groupBy(
      facts.filter(({ is }) => is === kind),
      ({ email }) => email,
    );
  const [optedOut, suppressed, resubscribing] = [of("optedOut"), of("suppressed"), of("resubscribing")];
  return mails.flatMap(({ tag, at, mail }) => {
    const email = addressOf(mail);
    // A call without an answer is repeated with its key, and is one hand-over.
    const first = arrived.get(tag).find(({ outcome }) => vague.has(outcome))?.at ?? at;
    const begun = Math.min(first, at) - onTheWayMs;
    const isMarketing = mail.headers?.["List-Unsubscribe"] !== undefined;
    const isRefused = (since) => since < begun;
    const isLifted = (since) =>
      (resubscribing.get(email) ?? []).some((lift) => lift.at >= since - onTheWayMs && lift.at <= at);
    const left = (optedOut.get(email) ?? []).find((fact) => isRefused(fact.at) && !isLifted(fact.at));
    const banned = (suppressed.get(email) ?? []).find((fact) => isRefused(fact.at));
    return [
      ...(isMarketing && left ? [`${email} opted out at ${left.at}, and got ${tag} at ${at}`] : []),
      ...(banned ? [`${email} was suppressed at ${banned.at}, and got ${tag} at ${at}`] : []),
    ];
  });
}
