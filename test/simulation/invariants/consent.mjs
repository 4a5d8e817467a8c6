import { addressOf } from "../people/contacts.mjs";
import { emailOfTag } from "./ids.mjs";

/** A call to the provider that was on its way when a person opted out may still arrive. */
const onTheWayMs = 10_000;
const vague = new Set(["hangs", "slow", "loses answer"]);

/**
 * What a person or a tenant has refused before an email was handed over is obeyed, and what a person said stays said.
 */
export function consentDisobeyed(world, state) {
  return [...mailsUnwanted(world, state), ...optOutsForgotten(world, state)];
}

/** A person who left by themselves has left, also when they were never subscribed, until somebody subscribes them. */
function optOutsForgotten(world, { facts, numberOf }) {
  const lifted = new Map(facts.filter(({ is }) => is === "resubscribing").map(({ email, at }) => [email, at]));
  return facts
    .filter(
      ({ is, isSaidBySelf, email, at }) => is === "optedOut" && isSaidBySelf && !(lifted.get(email) > at - onTheWayMs),
    )
    .flatMap(({ tenant, email, at }) =>
      world
        .rows(
          "SELECT subscribed, opted_out_at FROM contacts WHERE project_id = ? AND email = ?",
          numberOf.get(tenant) ?? null,
          email,
        )
        .filter((row) => row.subscribed !== 0 || row.opted_out_at === null)
        .map((row) => `${email} opted out at ${at}, and is ${JSON.stringify(row)}`),
    );
}

function mailsUnwanted(world, { facts, emails }) {
  const { mails, arrivals } = world.outside.provider;
  const arrived = Map.groupBy(arrivals, ({ tag }) => tag);
  const rows = new Map(emails.map((email) => [email.id, email]));
  const of = (kind) =>
    Map.groupBy(
      facts.filter(({ is }) => is === kind),
      ({ email }) => email,
    );
  const [optedOut, suppressed, resubscribing] = [of("optedOut"), of("suppressed"), of("resubscribing")];
  return mails.flatMap(({ tag, at, mail }) => {
    const email = addressOf(mail);
    const first = handedOverAt({ at, arrived: arrived.get(tag), row: rows.get(emailOfTag(tag)) });
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

/**
 * When the mail was checked for the last time. A call with several emails that broke off is repeated whole, and is one
 * hand-over, also when it never arrived the first time. A single email is checked each time.
 */
function handedOverAt({ at, arrived, row }) {
  if (!arrived.some(({ size }) => size > 1)) return arrived.findLast((arrival) => arrival.at <= at)?.at ?? at;
  if (row !== undefined && row.attempts > arrived.length) return row.created_at;
  return arrived.find(({ outcome }) => vague.has(outcome))?.at ?? at;
}
