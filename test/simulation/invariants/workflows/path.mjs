import { keyOf, nextOf, possibleDocuments, slackMs, stepOf } from "./documents.mjs";
import { effectFaults } from "./step-effects.mjs";

const removed = "Step was removed";
const unitMs = { minutes: 60_000 };

/**
 * Walks the path of an execution that is over once more, by what the specification says of each step, and returns where
 * it may not have gone so. `taken` are the events that it took, oldest first; `events` all of its contact.
 */
export function pathFaults(seen) {
  const { execution, documents } = seen;
  const { steps } = execution;
  // It may be cancelled before its first step.
  if (steps.length === 0) return execution.status === "CANCELLED" ? [] : [`is ${execution.status} without a step`];
  const faults = steps[0].type === "TRIGGER" ? [] : [`begins with ${steps[0].name}`];
  let woken = seen.isByEvent ? 1 : 0;
  for (const [place, step] of steps.entries()) {
    const at = timesOf(step, execution);
    if (place > 0) faults.push(...orderFaults(steps, place, documents));
    const isCut = step.status === "SKIPPED" && (step.reason === removed || execution.status === "CANCELLED");
    if (isCut) continue;
    if (step.type === "WAIT_FOR_EVENT" && step.branch === "event") woken += 1;
    const possible = possibleDocuments(documents, at.from, at.to)
      .map((document) => stepOf(document, keyOf(step)))
      .filter((one) => one?.type === step.type);
    const taken = seen.hasGaps ? prefixes(seen.taken) : [seen.taken.slice(0, woken)];
    faults.push(...(checks[step.type]?.({ ...seen, step, ...at, possible, taken }) ?? []));
  }
  faults.push(...endFaults(seen, steps.at(-1)));
  return faults;
}

const time = (iso) => (iso === null ? null : Date.parse(iso));
const prefixes = (items) => items.map((_, place) => items.slice(0, place + 1)).concat([[]]);

function timesOf({ startedAt, completedAt }, execution) {
  return { from: time(startedAt), to: time(completedAt) ?? time(execution.completedAt) };
}

/**
 * When a workflow changes, an execution may come to a step again, and only its last visit is recorded. So steps that are
 * recorded later may have been passed in between, the one to which a change moved the execution too.
 */
export function isAfter(before, step, later, documents) {
  const possible = possibleDocuments(documents, time(before.startedAt), time(step.startedAt));
  const passed = new Map(later.map((one) => [keyOf(one), one]));
  const seen = new Set();
  const reached = possible.map((document) => nextOf(document, keyOf(before), before.branch));
  if (reached.includes(keyOf(step))) return { isDirect: true, isAllowed: true };
  reached.push(...movesBefore(step, documents));
  for (let key = reached.pop(); key !== undefined; key = reached.pop()) {
    if (key === keyOf(step)) return { isDirect: false, isAllowed: true };
    if (key === null || seen.has(key) || !passed.has(key)) continue;
    seen.add(key);
    for (const document of possible)
      reached.push(...document.transitions.filter(({ from }) => from === key).map(({ to }) => to));
  }
  return { isDirect: false, isAllowed: false };
}

/** The steps to which changes of the workflow may have moved an execution before it came to this one. */
function movesBefore(step, documents) {
  return documents
    .filter((one) => one.moveTo !== undefined && one.from <= time(step.startedAt) + slackMs)
    .map(({ moveTo }) => moveTo);
}

function orderFaults(steps, place, documents) {
  const [before, step] = [steps[place - 1], steps[place]];
  if (before.completedAt === null) return [`${step.name} comes before ${before.name} is over`];
  if (isAfter(before, step, steps.slice(place + 1), documents).isAllowed) return [];
  return [`${step.name} comes after ${before.name} by ${before.branch}, where no way leads to it`];
}

const checks = {
  DELAY: ({ step, from, to, possible, isOnClock }) => {
    const ends = possible.map(({ config }) => from + config.amount * unitMs[config.unit]);
    if (ends.some((end) => isOver(end, to, isOnClock))) return [];
    return [`${step.name} ended at ${to}, and not after ${ends}`];
  },

  WAIT_FOR_EVENT: ({ step, from, to, possible, events, taken, execution, hasGaps, isOnTime, isOnClock }) => {
    if (step.branch === "event") {
      // Only the last of several visits is recorded.
      const lateMs = isOnTime && !hasGaps ? 0 : slackMs;
      const isAwaited = ({ name, at }) =>
        at <= to + slackMs &&
        possible.some(({ config }) => config.eventName === name && at < from + config.timeout * 1_000 + lateMs);
      const heard = taken.flatMap((before) => before.slice(-1));
      // As a condition below, a wait may have heard of an event that a later one has replaced.
      if (isWokenAfter(execution.steps, step)) heard.push(...events);
      const isHeard = heard.some(isAwaited);
      const awaited = possible.map(({ config }) => `${config.eventName} for ${config.timeout} s from ${from}`);
      return isHeard ? [] : [`${step.name} heard of ${JSON.stringify(taken[0].at(-1))}, and awaits ${awaited}`];
    }
    const isRight = possible.some(({ config: { eventName, timeout } }) => {
      const until = from + timeout * 1_000;
      // A call that saw the clock move may have been too late.
      const ms = isOnClock ? 0 : slackMs;
      const isMissed = ({ name, at, isSteady }) =>
        name === eventName && at > from + ms && at < until - ms && (isSteady || !isOnClock);
      return isOver(until, to, isOnClock) && !events.some(isMissed);
    });
    return isRight ? [] : [`${step.name} went on at ${to} by ${step.branch}, as if it had waited in vain`];
  },

  CONDITION: ({ step, to, possible, contact, taken, events, execution, hasGaps }) => {
    const said = taken.map((known) => Object.assign({}, ...known.map(({ data }) => data)));
    // An execution remembers no event whose keys a later one has had, too. Then it may be any one of before the step.
    if (hasGaps || isWokenAfter(execution.steps, step))
      said.push(...events.filter(({ at }) => at <= to).map(({ data }) => data));
    const branches = possible.flatMap(({ config }) => said.map((one) => branchOf(config, one, contact)));
    return branches.includes(step.branch) ? [] : [`${step.name} took ${step.branch}, and not ${branches}`];
  },

  SEND_EMAIL: effectFaults.mail,
  WEBHOOK: effectFaults.call,
  UPDATE_CONTACT: effectFaults.update,
};

/** Whether a wait was over in time. On a test clock it ends at its very instant. */
function isOver(end, to, isOnClock) {
  return isOnClock ? end === to : end <= to + slackMs;
}

function isWokenAfter(steps, step) {
  return steps
    .slice(steps.indexOf(step) + 1)
    .some(({ type, branch }) => type === "WAIT_FOR_EVENT" && branch === "event");
}

/** Knows the conditions that workflows of the simulation have: what an event said, and the address. */
function branchOf({ mode, field, operator, value, branches }, said, { email }) {
  if (mode === "multi") return branches.find((branch) => branch.value === said.kind)?.id ?? "default";
  const found = field === "email" ? email : said.kind;
  const holds = operator === "contains" ? found.includes(value) : found === value;
  return holds ? "yes" : "no";
}

/** What became of the execution in the end. */
function endFaults({ execution, documents, isCancelled }, last) {
  const { status, exitReason, error } = execution;
  // It may stay between two steps for a while, and end there.
  const [from, to] = [time(last.startedAt), time(execution.completedAt)];
  const possible = possibleDocuments(documents, from, to);
  const isLost = documents.some(
    (one) =>
      one.from <= to + slackMs && (stepOf(one.document, keyOf(last)) === null || leadsAstray(documents, one, last)),
  );
  const isRight = {
    COMPLETED: () => possible.some((document) => nextOf(document, keyOf(last), last.branch) === null),
    EXITED: () =>
      last.type === "EXIT"
        ? possible.some((document) => stepOf(document, keyOf(last))?.config.reason === exitReason)
        : exitReason === removed && isLost,
    FAILED: () => last.status === "FAILED" && last.error === error,
    CANCELLED: () => isCancelled(exitReason, from, to),
  }[status];
  return isRight?.() ? [] : [`is ${status} (${exitReason ?? error}) after ${last.name}`];
}

/** Whether another document leads from a step to one that this document does not have. */
function leadsAstray(documents, { document }, last) {
  return documents.some((other) => {
    const next = nextOf(other.document, keyOf(last), last.branch);
    return next !== null && stepOf(document, next) === null;
  });
}
