import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { load, median } from "./load.mjs";
import { highestWhile, liveMegabytes } from "./memory.mjs";
import { byPhase } from "./phases.mjs";
import { pricesOfMillion } from "./prices.mjs";
import { profiled } from "./profile.mjs";
import { makeProjects } from "./projects.mjs";
import { column, single, table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { workerdMs } from "./workerd.mjs";

/** Executions of the large projects; the others have a tenth and a fiftieth. */
const large = Number(process.env.BENCH_EXECUTIONS ?? 100_000);
const contacts = { warm: large / 50, small: large / 10, large, tracked: large / 10, idle: large, waiting: large };
const samples = Number(process.env.BENCH_SAMPLES ?? 30);
const connections = 32;
const pollMs = 100;
const gcEveryMs = 3_000;
const neighbourEveryMs = 100;
const aDayMs = 24 * 60 * 60_000;
const longestMs = 2 * 60 * 60_000;

/** The figures of the meter. */
const counted = ["rowsRead", "rowsWritten", "objectRowsRead", "objectRowsWritten", "messages", "objectCalls"];

/** Our files by the phase of an execution's cost. */
const phases = [
  ["start", /^src\/(features\/workflows\/ticks|engine\/workflows\/shard\/starts)/],
  ["send", /^src\/engine\/(workflows\/steps\/send-email|mail)/],
  ["condition", /^src\/(engine\/workflows\/steps\/(decide|condition)|core\/audience)/],
  ["update", /^src\/(engine\/workflows\/steps\/update|core\/templating)/],
  ["mirror", /^src\/engine\/workflows\/shard\/mirror/],
  ["machine", /^src\/(engine|core)\/workflows\//],
];

const paragraph = "<p>Your plan is {{ plan }}, {{ firstName ?? 'friend' }}, and here is what it holds this month.</p>";
export const template = {
  name: "Welcome",
  subject: "Welcome, {{ firstName }}",
  body: `<h1>Hello {{ firstName ?? "there" }}</h1>${paragraph.repeat(10)}`,
};

/**
 * Measures executions of a workflow of five steps, started in bulk by a schedule and singly by events, and a hundred
 * thousand that wait. Mail is accepted and not delivered, because the bench of campaigns measures that.
 */
export async function benchWorkflows() {
  const bench = await openBenchState();
  const { settings } = bench.state;
  writeEnvFile(settings, { ...readEnvFile(settings), MAIL_PROVIDER: "outbox", LINK_SECRETS: randomHex() });
  const inspectorPort = await findFreePort();
  try {
    const projects = await seededProjects(bench);
    const worker = await startBenchWorker("bench/executed.ts", bench, { inspectorPort, v8Flags: "--expose-gc" });
    try {
      const isolate = await inspect(inspectorPort);
      await measure({ ...worker, isolate }, projects);
      isolate.close();
    } finally {
      await worker.stop();
    }
  } finally {
    bench.remove();
  }
}

async function measure(worker, projects) {
  const idle = await neighbours(worker, projects.neighbour, () => sleep(3_000));
  await journey(worker, projects.warm, { isMeasured: false });
  const small = await journey(worker, projects.small, { neighbour: projects.neighbour });
  const all = await journey(worker, projects.large, { neighbour: projects.neighbour });
  const profile = await profileOf(worker, projects.warm);
  reportJourneys([small, all], idle, profile);
  reportTracked(await trackStarts(worker, projects.tracked));
  reportWaiting(await waiting(worker, projects));
}

/** Makes a project for each size, with its people, a verified domain, a template and a segment of all. */
async function seededProjects(bench) {
  const made = await makeProjects(bench, [...Object.keys(contacts), "neighbour"], async (post, name) => {
    await post("/domains", { domain: `${name}.test` });
    const { id: segmentId } = await post("/segments", { name: "All", condition: everybody });
    const { id: templateId } = await post("/templates", { ...template, from: `hello@${name}.test` });
    return { segmentId, templateId };
  });
  seed(
    bench.state,
    Object.entries(made).map(([name, { id }]) => ({ id, contacts: contacts[name] ?? 1_000 })),
  );
  return made;
}

export const everybody = {
  logic: "AND",
  groups: [{ filters: [{ field: "data.seats", operator: "greaterThanOrEqual", value: 0 }] }],
};

/** Makes and enables a workflow of consecutive steps, whatever a condition decides. */
export async function newWorkflow({ base }, { secret }, trigger, steps) {
  const post = (path, body) => call(`${base}${path}`, secret, body);
  const { id, steps: made } = await post("/workflows", { name: "Bench", ...trigger });
  let { id: fromStepId, type } = made[0];
  for (const step of steps) {
    const { id: toStepId } = await post(`/workflows/${id}/steps`, step);
    const branches = type === "CONDITION" ? [{ branch: "yes" }, { branch: "no" }] : [{}];
    for (const branch of branches) await post(`/workflows/${id}/transitions`, { fromStepId, toStepId, ...branch });
    [fromStepId, type] = [toStepId, step.type];
  }
  await call(`${base}/workflows/${id}`, secret, { enabled: true }, "PATCH");
  return id;
}

export const onTick = ({ segmentId }) => ({
  triggerType: "SCHEDULE",
  // Once a year: the bench itself makes it due.
  triggerConfig: { cron: "0 0 1 1 *", segmentId },
  allowReentry: true,
});

export const fiveSteps = ({ templateId }) => [
  { type: "SEND_EMAIL", config: {}, templateId },
  { type: "DELAY", config: { amount: 1, unit: "days" } },
  { type: "CONDITION", config: { field: "data.plan", operator: "equals", value: "pro" } },
  { type: "UPDATE_CONTACT", config: { data: { greeted: "{{ plan }}" } } },
  { type: "EXIT", config: { reason: "Done" } },
];

/**
 * Runs all five steps for all people of a project: from the tick until all wait, and a day later until all have ended.
 */
async function journey(worker, project, { isMeasured = true, neighbour } = {}) {
  const workflow = await newWorkflow(worker, project, onTick(project), fiveSteps(project));
  const { total: executions } = await call(`${worker.base}/contacts?limit=1`, project.secret);
  await call(`${worker.base}/bench/spent`);
  const cpuBefore = workerdMs(worker);
  const at = { begun: performance.now() };
  const latencies = await neighbours(worker, neighbour, async () => {
    at.megabytes = await highestWhile(
      isMeasured ? () => oneByOne(() => liveMegabytes(worker.isolate)) : () => 0,
      async () => {
        await tick(worker, workflow);
        at.waiting = await until(worker, workflow, ({ WAITING = 0 }) => WAITING === executions);
        at.goesOn = performance.now();
        await call(`${worker.base}/bench/ahead?ms=${aDayMs}&project=${project.id}`);
        at.ended = await until(worker, workflow, ({ EXITED = 0 }) => EXITED === executions);
      },
      gcEveryMs,
    );
  });
  const cpuMs = workerdMs(worker) - cpuBefore;
  const spent = await call(`${worker.base}/bench/spent`);
  await call(`${worker.base}/bench/ahead?ms=0`);
  const msEach = (ms) => ms / executions;
  const ms = { start: msEach(at.waiting - at.begun), finish: msEach(at.ended - at.goesOn) };
  return {
    ...{ executions, latencies, megabytes: at.megabytes },
    ...{ longestBatchMs: spent.longestBatchMs, longestObjectMs: spent.longestObjectMs },
    ms: { ...ms, all: ms.start + ms.finish },
    ...{ cpuMs: msEach(cpuMs), databaseMs: msEach(spent.databaseMs), objectMs: msEach(spent.objectMs) },
    each: Object.fromEntries([...counted, "invocations"].map((name) => [name, spent[name] / executions])),
  };
}

export async function tick(worker, workflow) {
  await call(`${worker.base}/bench/tick?workflow=${workflow}`);
  await fireCron(worker, "* * * * *");
}

/** Polls until the executions have these statuses, and returns when that was. */
export async function until({ base }, workflow, isSo) {
  const deadline = Date.now() + longestMs;
  for (;;) {
    const statuses = await call(`${base}/bench/statuses?workflow=${workflow}`);
    if (isSo(statuses)) return performance.now();
    if (Date.now() > deadline) throw new Error(`A workflow takes too long: ${JSON.stringify(statuses)}`);
    await sleep(pollMs);
  }
}

/** Returns the milliseconds of reads of another project during some work, sorted. */
async function neighbours({ base }, project, work) {
  const latencies = [];
  let isDone = false;
  const worked = work().finally(() => {
    isDone = true;
  });
  while (project && !isDone) {
    await oneByOne(async () => {
      const startedAt = performance.now();
      await call(`${base}/contacts`, project.secret);
      latencies.push(performance.now() - startedAt);
    });
    await sleep(neighbourEveryMs);
  }
  await worked;
  return latencies.toSorted((one, other) => one - other);
}

let last = Promise.resolve();

/** Garbage is not collected while a neighbour reads, so that the measurement does not disturb what it measures. */
function oneByOne(work) {
  const result = last.then(work);
  last = result.catch(() => {});
  return result;
}

/** Prints where the time of the isolate goes, per execution. The local database runs in another isolate. */
async function profileOf(worker, project) {
  await worker.isolate.ask("Debugger.enable");
  const times = await profiled(worker.isolate, () => journey(worker, project, { isMeasured: false }));
  return byPhase(times, phases, contacts.warm);
}

/** Tracks events that start the same five steps, each by its own call. */
async function trackStarts(worker, project) {
  const trigger = { eventName: "signup", allowReentry: true };
  const workflow = await newWorkflow(worker, project, trigger, fiveSteps(project));
  const total = contacts.tracked;
  await call(`${worker.base}/bench/spent`);
  const startedAt = performance.now();
  await load({
    url: `${worker.base}/v1/track`,
    headers: { Authorization: `Bearer ${project.public}` },
    connections,
    total,
    bodyOf: (n) => ({ email: emailOf(n), event: "signup" }),
  });
  const answeredMs = performance.now() - startedAt;
  const ms = (await until(worker, workflow, ({ WAITING = 0 }) => WAITING === total)) - startedAt;
  const spent = await call(`${worker.base}/bench/spent`);
  return { total, answeredMs, ms, rows: (spent.rowsWritten + spent.objectRowsWritten) / total };
}

/** The address of the n-th person of a seeded project. */
function emailOf(n) {
  return `person${n}@${n % 1000}.example.com`;
}

/** Measures the cost of many executions that wait for an event, for themselves and for others. */
async function waiting(worker, { idle, waiting: full, neighbour }) {
  const steps = [
    { type: "WAIT_FOR_EVENT", config: { eventName: "purchase" } },
    { type: "EXIT", config: {} },
  ];
  const sizeOf = () => call(`${worker.base}/bench/size?project=${full.id}`);
  const before = await sizeOf();
  const many = await newWorkflow(worker, full, onTick(full), steps);
  await tick(worker, many);
  await until(worker, many, ({ WAITING = 0 }) => WAITING === large);
  const after = await sizeOf();
  const bytes = {
    objects: (after.objects - before.objects) / large,
    databases: (after.databases - before.databases) / large,
  };
  const single = await newWorkflow(worker, idle, { triggerType: "MANUAL", allowReentry: true }, steps);
  const [alone, among] = [await somePeople(worker, idle), await somePeople(worker, full)];
  const woken = { none: [], many: [] };
  for (let n = 0; n < samples; n++) {
    await enter(worker, idle, single, alone[n]);
    woken.none.push(await wake(worker, idle, single, alone[n]));
    woken.many.push(await wake(worker, full, many, among[n]));
  }
  const lists = {
    "first page": await listMs(worker, full, many, "status=WAITING"),
    "last page": await listMs(worker, full, many, `status=WAITING&page=${Math.ceil((large - samples) / 20)}`),
    "first page of all": await listMs(worker, full, many, ""),
    "last page of all": await listMs(worker, full, many, `page=${large / 20}`),
  };
  return { bytes, woken, lists, cancel: await cancelAll(worker, full, many, neighbour) };
}

async function somePeople({ base }, { secret }) {
  const { data } = await call(`${base}/contacts?limit=${samples}`, secret);
  return data;
}

async function enter(worker, project, workflow, { id: contactId }) {
  await call(`${worker.base}/workflows/${workflow}/executions`, project.secret, { contactId });
  await until(worker, workflow, ({ WAITING = 0 }) => WAITING === 1);
}

/** Measures from an event's call until its contact's execution has ended: end to end, and in the object alone. */
async function wake(worker, project, workflow, { email }) {
  await call(`${worker.base}/bench/delivered`);
  const ended = async () => (await call(`${worker.base}/bench/statuses?workflow=${workflow}`)).EXITED ?? 0;
  const before = await ended();
  const startedAt = performance.now();
  await call(`${worker.base}/v1/track`, project.public, { email, event: "purchase" });
  const trackMs = performance.now() - startedAt;
  for (;;) {
    const [objectMs] = await call(`${worker.base}/bench/delivered`);
    if (objectMs !== undefined) {
      if ((await ended()) !== before + 1) throw new Error("An event has not woken its execution");
      return { trackMs, objectMs, allMs: performance.now() - startedAt };
    }
    if (performance.now() - startedAt > 30_000) throw new Error("An event was not delivered");
    await sleep(5);
  }
}

async function listMs({ base }, { secret }, workflow, query) {
  const times = [];
  for (let n = 0; n < samples; n++) {
    const startedAt = performance.now();
    const { data } = await call(`${base}/workflows/${workflow}/executions?pageSize=20&${query}`, secret);
    times.push(performance.now() - startedAt);
    if (data.length === 0) throw new Error("A page of executions is empty");
  }
  return middle(times);
}

async function cancelAll(worker, project, workflow, neighbour) {
  await call(`${worker.base}/bench/spent`);
  const cpuBefore = workerdMs(worker);
  const at = { begun: performance.now() };
  const latencies = await neighbours(worker, neighbour, async () => {
    const url = `${worker.base}/workflows/${workflow}/executions/cancel-all`;
    at.cancelled = (await call(url, project.secret, {})).cancelled;
    at.answered = performance.now();
    at.shown = await until(worker, workflow, ({ WAITING = 0 }) => WAITING === 0);
  });
  const cpuMs = workerdMs(worker) - cpuBefore;
  const { longestObjectMs, longestBatchMs } = await call(`${worker.base}/bench/spent`);
  return {
    ...{ cpuMs, cancelled: at.cancelled, latencies, longestObjectMs, longestBatchMs },
    ...{ answeredMs: at.answered - at.begun, shownMs: at.shown - at.begun },
  };
}

function reportJourneys(figures, idle, profile) {
  const [small, all] = figures;
  table({
    title: "Each execution of five steps (send, delay, condition, update, exit), begun by a schedule",
    names: figures.map(({ executions }) => executions.toLocaleString("en")),
    figures: figures.map((one) => columnOf(one, idle)),
  });
  column("An execution's CPU time in the isolate, by phase", profile, "ms");
  const rows = {
    rowsRead: all.each.rowsRead + all.each.objectRowsRead,
    rowsWritten: all.each.rowsWritten + all.each.objectRowsWritten,
  };
  const title = "A million such executions, without the delivery of their mail, by Cloudflare's list prices";
  column(title, pricesOfMillion({ ...all.each, ...rows }, profile), "$");
  single("Executions started and finished", 1000 / all.ms.all, "executions/s", "≥ 300");
  single("Time of each of the many beside each of a tenth", all.ms.all / small.ms.all, "times", "≤ 1.25");
  single("Peak memory of the many beside a tenth", all.megabytes / small.megabytes, "times", "≤ 1.5");
  single("Longest transaction of an object", all.longestObjectMs, "ms", "≤ 25");
  single("Longest batch of the database", all.longestBatchMs, "ms", "≤ 25");
}

function columnOf(
  { ms, each, megabytes, longestBatchMs, longestObjectMs, databaseMs, objectMs, cpuMs, latencies },
  idle,
) {
  return {
    "started, up to the delay": { value: 1000 / ms.start, unit: "/s" },
    "finished, from the delay": { value: 1000 / ms.finish, unit: "/s" },
    "all in all": { value: 1000 / ms.all, unit: "/s" },
    "workerd's CPU": { value: cpuMs, unit: "ms" },
    "in the database": { value: databaseMs, unit: "ms" },
    "in objects' SQLite": { value: objectMs, unit: "ms" },
    "longest batch": { value: longestBatchMs, unit: "ms" },
    "longest in an object": { value: longestObjectMs, unit: "ms" },
    "D1 rows read": { value: each.rowsRead, unit: "rows" },
    "D1 rows written": { value: each.rowsWritten, unit: "rows" },
    "objects' rows read": { value: each.objectRowsRead, unit: "rows" },
    "objects' rows written": { value: each.objectRowsWritten, unit: "rows" },
    messages: { value: each.messages * 1000, unit: "‰" },
    "calls of objects": { value: each.objectCalls * 1000, unit: "‰" },
    "peak memory": { value: megabytes, unit: "MB" },
    "read of another project, p50": { value: percentile(latencies, 0.5), unit: "ms" },
    "read of another project, p99": { value: percentile(latencies, 0.99), unit: "ms" },
    "… when nothing goes on, p50": { value: percentile(idle, 0.5), unit: "ms" },
    "… when nothing goes on, p99": { value: percentile(idle, 0.99), unit: "ms" },
  };
}

function reportTracked({ total, answeredMs, ms, rows }) {
  table({
    title: `${total.toLocaleString("en")} events of /v1/track over ${connections} connections, each of which starts an execution`,
    names: ["each"],
    figures: [
      {
        answered: { value: (total / answeredMs) * 1000, unit: "/s" },
        "answered, begun and mailed": { value: (total / ms) * 1000, unit: "/s" },
        "rows written up to the delay": { value: rows, unit: "rows" },
      },
    ],
  });
}

function reportWaiting({ bytes, woken, lists, cancel }) {
  const many = large.toLocaleString("en");
  const of = (times, name) => middle(times.map((one) => one[name]));
  table({
    title: `An event for one contact, whose execution waits for it and ends (medians of ${samples})`,
    names: ["alone", `of ${many}`],
    figures: [woken.none, woken.many].map((times) => ({
      "POST /v1/track answers": { value: of(times, "trackMs"), unit: "ms" },
      "in the object, from delivery to mirror": { value: of(times, "objectMs"), unit: "ms" },
      "end to end, with the queue's second": { value: of(times, "allMs"), unit: "ms" },
    })),
  });
  for (const [name, what] of [
    ["objectMs", "An event for one of the many, beside one alone, in the object"],
    ["allMs", "An event for one of the many, beside one alone, end to end"],
  ]) {
    single(what, of(woken.many, name) / of(woken.none, name), "times", "≤ 2");
  }
  table({
    title: `An execution that waits, of ${many}`,
    names: ["bytes"],
    figures: [
      {
        "in its object": { value: bytes.objects, unit: "bytes" },
        "in the database, indexes included": { value: bytes.databases, unit: "bytes" },
      },
    ],
  });
  for (const [name, ms] of Object.entries(lists)) single(`GET executions of ${many}, ${name}`, ms, "ms", "≤ 50");
  single(
    `cancel-all of ${cancel.cancelled.toLocaleString("en")}, until it answers`,
    cancel.answeredMs / 1000,
    "s",
    "≤ 5",
  );
  single("… in workerd's CPU time", cancel.cpuMs / 1000, "s", "≤ 5");
  single("… and until lists show it", cancel.shownMs / 1000, "s", "≤ 5");
  single("… its longest transaction of an object", cancel.longestObjectMs, "ms", "≤ 25");
  single("… its longest batch of the database", cancel.longestBatchMs, "ms", "≤ 25");
  single("… and the longest read of another project meanwhile", cancel.latencies.at(-1), "ms", "≤ 100");
}

function middle(values) {
  return median(values.toSorted((one, other) => one - other));
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
