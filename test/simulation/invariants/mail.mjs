import { addressOf } from "../people/contacts.mjs";
import { emailOfTag } from "./ids.mjs";
import { isLost as isWindow } from "./restored.mjs";

const taken = new Set(["SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"]);
const final = new Set([...taken, "FAILED", "SUPPRESSED", "CANCELLED", "UNKNOWN"]);
/** What happens to a call of which the caller does not learn whether it was taken. */
const vague = new Set(["hangs", "slow", "loses answer"]);

/** SENT means that the provider took an email exactly once; UNKNOWN that an answer was lost. */
export function mailUnaccounted(world, state) {
  const { emails, outbox, facts } = state;
  const { mails, arrivals } = world.outside.provider;
  // A row of before the restore of a database does not know that its mail went out.
  const isUndone = ({ mail, at }) => isWindow(state, tenantOf(mail), at, { lateMs: undoneLateMs });
  const undone = new Set(mails.filter(isUndone).map(({ tag }) => emailOfTag(tag)));
  const takenIds = [
    ...mails.filter((one) => !isUndone(one)).map(({ tag }) => emailOfTag(tag)),
    ...outbox.map(({ email_id: id }) => id),
  ];
  const times = Map.groupBy(takenIds, (id) => id);
  const lost = new Set(arrivals.filter(({ outcome }) => vague.has(outcome)).map(({ tag }) => emailOfTag(tag)));
  // A call that its isolate died of may never arrive.
  const hasDied = world.isolates.died > 0;
  // The outbox is a table, whose answers are lost with those of its database.
  const isOutboxLost = world.faults.counts.database > 0;
  const isLost = ({ id, clock }) => hasDied || lost.has(id) || (clock !== 0 && isOutboxLost);
  const people = new Set(world.rows("SELECT id FROM contacts").map(({ id }) => id));
  // The outbox forgets the mail of an erased person.
  const isForgotten = ({ clock, contact_id: contact }) => clock !== 0 && !people.has(contact);
  const isSomeDeleted = facts.some(({ is }) => is === "deleted");
  const known = new Set(emails.map(({ id }) => id));
  const unknown = isSomeDeleted ? [] : [...times.keys()].filter((id) => !known.has(id));
  return [
    ...emails
      .filter((email) => !isForgotten(email))
      .flatMap((email) => {
        const count = times.get(email.id)?.length ?? 0;
        // It may have gone out before the restore alone.
        return faultsOf(
          email,
          count === 0 && undone.has(email.id) && taken.has(email.status) ? 1 : count,
          isLost(email),
        );
      }),
    ...[...times].filter(([, all]) => all.length > 1).map(([id, all]) => `The provider took ${id} ${all.length} times`),
    ...handedOverTwice(state, arrivals),
    ...unknown.map((id) => `The provider took ${id}, which has no row`),
    ...mails.flatMap((one) => variantFaults(one, emails)),
    ...mails.filter(({ mail }) => isStranger(mail)).map(({ mail }) => `${mail.from} wrote to ${addressOf(mail)}`),
  ];
}

/** Each recipient of a campaign with variants gets the subject of the one by which it is counted. */
function variantFaults({ tag, mail }, emails) {
  const row = emails.find(({ id }) => id === emailOfTag(tag));
  if (!row?.variant || mail.subject.startsWith(row.variant === "curious" ? "Curious" : "News")) return [];
  return [`${row.id} is of variant ${row.variant}, and was sent with "${mail.subject}"`];
}

/** For so long nobody else may hand an email over while its call is open: the lease, less what clocks differ. */
const leaseMs = 110_000;

/** For so long after a restore, a consumer that read rows before it may still call. */
const undoneLateMs = 40_000;

/** Nobody hands an email over while another call with it is open. */
function handedOverTwice(state, arrivals) {
  // A row of before the restore does not know of a call that is open.
  const isKnown = ({ email, at }) => !isWindow(state, nameIn(email), at, { lateMs: undoneLateMs });
  return [...Map.groupBy(arrivals, ({ tag }) => tag)].flatMap(([tag, all]) =>
    all.flatMap(({ at, call, outcome }, place) =>
      all
        .slice(place + 1)
        .filter((later) => isKnown(all[place]) && later.at < Math.min(call.overAt, at + leaseMs))
        .map(
          (later) => `${emailOfTag(tag)} was handed over at ${later.at}, while a call of ${at} was open (${outcome})`,
        ),
    ),
  );
}

const columnOf = { bounced: "bounced_at", complained: "complained_at", opened: "opened_at" };

/** A report that was answered with success has had its effect: on the mail, and on the address that ended its trust. */
export function reportsForgotten(world, state) {
  const { emails, saidFacts } = state;
  const rows = new Map(emails.map((email) => [email.id, email]));
  const suppressed = new Set(world.rows("SELECT email FROM suppressions").map(({ email }) => email));
  const isOver = new Set(
    saidFacts.filter(({ is }) => is === "deleted" || is === "erased").map((fact) => fact.email ?? fact.tenant),
  );
  return world.outside.provider.told.flatMap(({ tag, kind, mail, takenAt, at }) => {
    const row = rows.get(emailOfTag(tag));
    const address = addressOf(mail);
    if (!row || !(kind in columnOf) || isOver.has(address) || isOver.has(tenantOf(mail))) return [];
    // The report is lost, or its mail is as if it had never gone out.
    if ([takenAt, at].some((time) => isWindow(state, tenantOf(mail), time, { lateMs: undoneLateMs }))) return [];
    return [
      ...(row[columnOf[kind]] === null ? [`${row.id} was reported as ${kind}, which is not there`] : []),
      ...(kind !== "opened" && !suppressed.has(address) ? [`${address} ${kind}, and is not suppressed`] : []),
    ];
  });
}

export function tenantOf(mail) {
  return nameIn(addressOf(mail));
}

function nameIn(address) {
  return address.split("@")[1].split(".")[0];
}

function faultsOf({ id, status, error }, times, isLost) {
  const what = `${id} is ${status}${error ? ` (${error})` : ""}, and the provider took it ${times} times`;
  if (!final.has(status)) return [`${id} is still ${status}`];
  if (taken.has(status) && times !== 1) return [what];
  if (status === "UNKNOWN" && !isLost) return [`${what}; no answer was lost`];
  return status !== "UNKNOWN" && !taken.has(status) && times > 0 ? [what] : [];
}

/** Each tenant writes to people of its own alone. */
function isStranger(mail) {
  const from = addressOf({ to: mail.from }).split("@")[1].split(".")[0];
  return tenantOf(mail) !== from;
}
