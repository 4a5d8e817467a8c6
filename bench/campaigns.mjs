import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { load } from "./load.mjs";
import { highestWhile, liveMegabytes } from "./memory.mjs";
import { byPhase, mailPhases } from "./phases.mjs";
import { pricesOfMillion } from "./prices.mjs";
import { profiled } from "./profile.mjs";
import { makeProjects } from "./projects.mjs";
import { startProvider } from "./provider.mjs";
import { column, single, table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { workerdMs } from "./workerd.mjs";

/**
 * Contacts of the large project; the others have a tenth and a fiftieth. A million only by hand, because that takes a
 * while.
 */
const large = Number(process.env.BENCH_RECIPIENTS ?? 100_000);
const contacts = { warm: large / 50, small: large / 10, large };
const pollMs = 50;
const minuteMs = 60_000;
const gcEveryMs = 3_000;
const longestMs = 2 * 60 * 60_000;
const hookPassword = "bench-bench-bench";

const paragraph = "<p>Your plan is {{ plan }}, {{ firstName ?? 'friend' }}, and here is what it holds this month.</p>";
const body = `<h1>Hello {{ firstName ?? "there" }}</h1>${paragraph.repeat(10)}${[1, 2, 3]
  .map((n) => `<p><a href="https://bench.test/news/${n}">Read part ${n}</a></p>`)
  .join("")}`;

/** Our files by the phase of a recipient's cost. */
const phases = [
  ["freeze and release", /^src\/features\/campaigns\//],
  ["count", /^src\/engine\/campaigns\//],
  ...mailPhases,
];

/** The figures of the meter. */
const counted = ["rowsRead", "rowsWritten", "messages", "invocations", "objectCalls"];

const campaign = { name: "News", subject: "News for {{ firstName }}", body };

/** The members of a nested segment: those who are in another one, and have one of two plans. */
const inner = { logic: "AND", groups: [{ filters: [{ field: "data.seats", operator: "greaterThan", value: 9 }] }] };
const nestedIn = (segmentId) => ({
  logic: "AND",
  groups: [
    {
      filters: [{ field: `segment.${segmentId}`, operator: "memberOfSegment" }],
      conditions: {
        logic: "OR",
        groups: ["pro", "free"].map((value) => ({ filters: [{ field: "data.plan", operator: "equals", value }] })),
      },
    },
  ],
});

/** Measures campaigns of two sizes, tracked: to a provider that accepts every email at once, and into the outbox. */
export async function benchCampaigns() {
  const provider = await startProvider();
  const bench = await openBenchState();
  const given = readEnvFile(bench.state.settings);
  const of = (mailProvider) => ({
    ...given,
    ...provider.settings,
    ...{ POSTMARK_WEBHOOK_USER: "bench", POSTMARK_WEBHOOK_PASSWORD: hookPassword },
    ...{ LINK_SECRETS: randomHex(), MAIL_PROVIDER: mailProvider },
  });
  try {
    writeEnvFile(bench.state.settings, of("outbox"));
    const projects = await seededProjects(bench);
    const stub = await withWorker(bench, of("postmark"), async (worker) => {
      await send(worker, projects.warm);
      const figures = [await send(worker, projects.small), await send(worker, projects.large)];
      const perReport = await reportDelivered(worker, projects.small, figures[0].id);
      const freeze = await freezeSegment(worker, projects.large);
      return { figures, perReport, freeze, profile: await profile(worker, projects.small) };
    });
    const outbox = await withWorker(bench, of("outbox"), async (worker) => {
      await send(worker, projects.warm);
      return send(worker, projects.small);
    });
    report(stub, outbox);
  } finally {
    bench.remove();
    provider.close();
  }
}

/** Makes a project for each size, with its people, a verified domain and two segments, one of which names the other. */
async function seededProjects(bench) {
  const made = await makeProjects(bench, Object.keys(contacts), async (post, size) => {
    await post("/domains", { domain: `${size}.test` });
    const { id } = await post("/segments", { name: "Seats", condition: inner });
    const { id: segmentId } = await post("/segments", { name: "Seats and plan", condition: nestedIn(id) });
    return { segmentId, from: `news@${size}.test` };
  });
  seed(
    bench.state,
    Object.entries(made).map(([size, { id }]) => ({ id, contacts: contacts[size] })),
  );
  return made;
}

async function withWorker(bench, settings, work) {
  writeEnvFile(bench.state.settings, settings);
  const inspectorPort = await findFreePort();
  const worker = await startBenchWorker("bench/counted.ts", bench, {
    ...{ inspectorPort, deliversMail: true, v8Flags: "--expose-gc" },
  });
  try {
    const isolate = await inspect(inspectorPort);
    const worked = await work({ ...worker, isolate });
    isolate.close();
    return worked;
  } finally {
    await worker.stop();
  }
}

/** Sends one campaign to all subscribed people of a project, and measures it until it is SENT. */
async function send(worker, project, { isMeasured = true } = {}) {
  const id = await newCampaign(worker, project, { audienceType: "ALL" });
  await call(`${worker.base}/bench/spent`);
  const cpuBefore = workerdMs(worker);
  const startedAt = performance.now();
  await call(`${worker.base}/campaigns/${id}/send`, project.secret, {});
  const at = {};
  const megabytes = await highestWhile(
    isMeasured ? () => liveMegabytes(worker.isolate) : () => 0,
    async () => {
      at.frozen = await until(worker, id, ({ phase }) => phase !== "enumerate");
      at.sent = await until(worker, id, ({ status }) => status === "SENT");
    },
    gcEveryMs,
  );
  const cpuMs = workerdMs(worker) - cpuBefore;
  const spent = await call(`${worker.base}/bench/spent`);
  const recipients = await countSent(worker, project, id);
  const msEach = (ms) => ms / recipients;
  return {
    ...{ id, recipients, megabytes, longestBatchMs: spent.longestBatchMs },
    ms: {
      freeze: msEach(at.frozen - startedAt),
      deliver: msEach(at.sent - at.frozen),
      all: msEach(at.sent - startedAt),
    },
    databaseMs: msEach(spent.databaseMs),
    cpuMs: msEach(cpuMs),
    each: Object.fromEntries(counted.map((name) => [name, spent[name] / recipients])),
  };
}

async function newCampaign({ base }, { secret, from }, audience) {
  const { data } = await call(`${base}/campaigns`, secret, { ...campaign, from, ...audience });
  return data.id;
}

/** Polls until the condition holds, and returns when that was. The cron's tick runs once a minute, as in production. */
async function until(worker, id, isSo) {
  const deadline = Date.now() + longestMs;
  let cronAt = Date.now() + minuteMs;
  for (;;) {
    if (isSo(await call(`${worker.base}/bench/campaign?id=${id}`))) return performance.now();
    if (Date.now() > deadline) throw new Error("A campaign takes too long");
    if (Date.now() > cronAt) {
      await fireCron(worker, "* * * * *");
      cronAt = Date.now() + minuteMs;
    }
    await sleep(pollMs);
  }
}

/** Returns how many emails were sent. Throws unless all were. */
async function countSent({ base }, { secret }, id) {
  const { totalRecipients, sentCount } = await call(`${base}/campaigns/${id}/stats`, secret);
  if (totalRecipients === 0 || totalRecipients !== sentCount)
    throw new Error(`Of ${totalRecipients} emails ${sentCount} were sent`);
  return sentCount;
}

/** Prints where the time of the isolate goes, per recipient. The local database runs in another isolate. */
async function profile(worker, project) {
  await worker.isolate.ask("Debugger.enable");
  let recipients = 0;
  const times = await profiled(worker.isolate, async () => {
    ({ recipients } = await send(worker, project, { isMeasured: false }));
  });
  return byPhase(times, phases, recipients);
}

/**
 * Counts, per email, the rows that the reports of delivered emails write, counting included, and the messages that they
 * take.
 */
async function reportDelivered(worker, project, id) {
  const emails = await call(`${worker.base}/bench/emails?campaign=${id}`);
  await call(`${worker.base}/bench/spent`);
  await load({
    url: `${worker.base}/hooks/postmark`,
    headers: { Authorization: `Basic ${btoa(`bench:${hookPassword}`)}` },
    connections: 16,
    total: emails.length,
    bodyOf: (n) => ({
      ...{
        RecordType: "Delivery",
        MessageID: `bench-${n}`,
        ServerID: 23,
        MessageStream: "broadcast",
        Details: "250 OK",
      },
      Metadata: { petrel: `${project.id}_${emails[n]}` },
    }),
  });
  await until(worker, id, ({ marked }) => marked === 0);
  const { rowsWritten, messages } = await call(`${worker.base}/bench/spent`);
  return { rowsWritten: rowsWritten / emails.length, messages: messages / emails.length };
}

/** Returns the seconds until the ledger of a nested segment is written. Its first emails are sent meanwhile. */
async function freezeSegment(worker, project) {
  const { secret, segmentId } = project;
  const id = await newCampaign(worker, project, { audienceType: "SEGMENT", segmentId });
  const startedAt = performance.now();
  await call(`${worker.base}/campaigns/${id}/send`, secret, {});
  const seconds = ((await until(worker, id, ({ phase }) => phase !== "enumerate")) - startedAt) / 1000;
  const { totalRecipients } = await call(`${worker.base}/campaigns/${id}/stats`, secret);
  await call(`${worker.base}/campaigns/${id}/cancel`, secret, {});
  await until(worker, id, ({ phase }) => phase === null);
  return { seconds, recipients: totalRecipients };
}

function report({ figures, perReport, freeze, profile }, outbox) {
  const [small, all] = figures;
  table({
    title: "Each recipient of a tracked campaign to a provider that takes every email at once, and into the outbox",
    names: [...figures, outbox].map(({ recipients }) => recipients.toLocaleString("en")),
    figures: [...figures, outbox].map(columnOf),
  });
  column("A recipient's CPU time in the isolate, by phase", profile, "ms");
  column("A million recipients up to SENT, by Cloudflare's list prices", pricesOfMillion(all.each, profile), "$");
  const perSecond = ({ ms }) => 1000 / ms.all;
  single("From POST /campaigns/{id}/send to SENT", perSecond(all), "recipients/s", "≥ 1000");
  single("Into the outbox, with its rows", perSecond(outbox), "recipients/s", "≥ 400");
  single("Rows written for a recipient, up to SENT with its event", all.each.rowsWritten, "rows", "≤ 10");
  const delivered = all.each.rowsWritten + perReport.rowsWritten;
  single("… and up to delivered, by a report of its own", delivered, "rows", "≤ 16");
  single("Time of each of the many beside each of a tenth", all.ms.all / small.ms.all, "times", "≤ 1.25");
  single("Peak memory of the many beside a tenth", all.megabytes / small.megabytes, "times", "≤ 1.5");
  const frozen = `${freeze.recipients.toLocaleString("en")} of ${contacts.large.toLocaleString("en")}`;
  single(`Freeze of ${frozen} by a nested segment`, freeze.seconds, "s", "≤ 60");
}

function columnOf({ ms, each, megabytes, longestBatchMs, databaseMs, cpuMs }) {
  return {
    "recipients/s, frozen": { value: 1000 / ms.freeze, unit: "/s" },
    "recipients/s, delivered": { value: 1000 / ms.deliver, unit: "/s" },
    "recipients/s, all in all": { value: 1000 / ms.all, unit: "/s" },
    "workerd's CPU": { value: cpuMs, unit: "ms" },
    "in the database": { value: databaseMs, unit: "ms" },
    "longest batch": { value: longestBatchMs, unit: "ms" },
    "rows read": { value: each.rowsRead, unit: "rows" },
    "rows written": { value: each.rowsWritten, unit: "rows" },
    messages: { value: each.messages * 1000, unit: "‰" },
    invocations: { value: each.invocations * 1000, unit: "‰" },
    "calls of objects": { value: each.objectCalls * 1000, unit: "‰" },
    "peak memory": { value: megabytes, unit: "MB" },
  };
}
