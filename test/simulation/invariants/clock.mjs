import { jobOf } from "../people/clock.mjs";

/** A clock that moves when all is well takes some minutes at most: for so long a call of before may still be open. */
const healedForMs = 300_000;
const notAtRest = /^At .* the project did not come to rest within 60 seconds/;

/** What must hold of projects on test clocks: all happens once its time has come, and nothing before. */
export function clocksWrong(world, state) {
  return state.tenants.filter(({ isOnClock }) => isOnClock).flatMap((tenant) => faultsOf(world, state, tenant));
}

function faultsOf(world, state, tenant) {
  const own = state.facts.filter((fact) => fact.tenant === tenant.name);
  const [now, number] = [world.timeOf(tenant), state.numberOf.get(tenant.name)];
  const outbox = state.outbox.filter((mail) => mail.project_id === number);
  return [
    ...own.filter(({ is }) => is === "advancing").flatMap((fact) => faultsOfAdvance(world, tenant, fact, now)),
    ...setBack(own),
    ...outbox.filter(({ created_at: at }) => at > now).map((mail) => `${mail.email_id} went out at ${mail.created_at}`),
    ...heardTooEarly(world, tenant),
    ...unwanted(own, outbox),
  ];
}

/** An advance that was answered ends. When it has, nothing is left of what was due. */
function faultsOfAdvance(world, tenant, { jobId, target, left = [], at }, now) {
  const job = jobOf(world, tenant, jobId);
  const isFailed = job?.status === "failed";
  const mayFail = notAtRest.test(job?.reason ?? "") && at < world.faults.healedAt + healedForMs;
  return [
    ...(job?.status === "completed" || isFailed ? [] : [`Advance ${jobId} is ${job?.status ?? "not there"}`]),
    ...(isFailed && !mayFail ? [`Advance ${jobId} failed: ${job.reason}`] : []),
    ...(job?.status === "completed" && now < target ? [`Advance ${jobId} to ${target} ended at ${now}`] : []),
    ...left.map((what) => `Advance ${jobId} to ${target} has ended, and left ${what}, which was due`),
  ];
}

function setBack(own) {
  const inOrder = [...own].filter(({ clock }) => clock !== undefined).sort((a, b) => a.at - b.at);
  return inOrder
    .filter(({ clock }, place) => place > 0 && clock < inOrder[place - 1].clock)
    .map(({ entry, clock }) => `At ${entry.kind} ${entry.number} the clock was set back to ${clock}`);
}

/** No webhook tells of what has not happened yet. */
function heardTooEarly(world, { host }) {
  return world.outside.receivers.heard
    .filter((event) => event.host === host && Date.parse(event.timestamp) > event.projectTime)
    .map(({ id, timestamp, projectTime }) => `${host} heard of ${id} of ${timestamp} at ${projectTime}`);
}

/** What was refused before the clock came to an instant is obeyed at that instant. */
function unwanted(own, outbox) {
  const of = (kind, email) => own.filter((fact) => fact.is === kind && fact.email === email);
  return outbox.flatMap(({ email_id: id, to_email: email, source, created_at: at }) => {
    const isMarketing = /^List-Unsubscribe:/m.test(source ?? "");
    const isRefused = ({ clock }) => clock < at;
    const isLifted = ({ clockBefore }) =>
      of("resubscribing", email).some((lift) => lift.clock >= clockBefore && lift.clockBefore <= at);
    const left = of("optedOut", email).find((fact) => isRefused(fact) && !isLifted(fact));
    const banned = of("suppressed", email).find(isRefused);
    return [
      ...(isMarketing && left ? [`${email} opted out at ${left.clock}, and got ${id} at ${at}`] : []),
      ...(banned ? [`${email} was suppressed at ${banned.clock}, and got ${id} at ${at}`] : []),
    ];
  });
}
