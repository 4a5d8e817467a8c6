import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { call, newProject } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { load } from "./load.mjs";
import { byPhase, mailPhases } from "./phases.mjs";
import { profiled } from "./profile.mjs";
import { startProvider } from "./provider.mjs";
import { single, table } from "./report.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { workerdMs } from "./workerd.mjs";

const mails = Number(process.env.BENCH_MAILS ?? 10_000);
const profiledMails = mails / 5;
const recipientsPerCall = 500;
const connections = 16;
const longestMs = 10 * 60_000;

const small = `<h1>Hello {{ firstName ?? "there" }}</h1>${"<p>Your plan is {{ plan }}, and here is what it holds.</p>".repeat(20)}`;
const article = (n) =>
  `<tr><td style="padding:16px 24px;font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#333"><h2 style="margin:0 0 8px">Part ${n} for you</h2><p style="margin:0 0 16px">Here is what happened this month${n % 8 === 0 ? ', {{ firstName ?? "friend" }}' : ""}, with a sentence or two of text.</p><a href="https://bench.test/news/${n}" style="color:#fff;background:#0a0;padding:8px">Read on</a></td></tr>\n`;
const newsletter = `<html><head><title>News</title></head><body><table>${Array.from({ length: 72 }, (_, n) => article(n)).join("")}</table></body></html>`;

const drains = [
  { name: "one content", provider: "postmark", body: small, perCall: recipientsPerCall, aim: 1_000 },
  { name: "calls of one", provider: "postmark", body: small, perCall: 1, aim: 400 },
  { name: "newsletter", provider: "postmark", body: newsletter, perCall: recipientsPerCall },
  { name: "SES", provider: "ses", body: small, perCall: recipientsPerCall },
  { name: "outbox", provider: "outbox", body: small, perCall: recipientsPerCall },
];

/** The cost of an email after it was accepted: each of our files belongs to one phase. */
const phases = [["accept", /^src\/(http|features)\//], ...mailPhases];

/**
 * Measures drains of mail that was accepted before, at a provider that accepts everything at once, and the way from
 * call to provider.
 */
export async function benchDelivery() {
  const provider = await startProvider();
  const bench = await openBenchState();
  const measured = [];
  try {
    const keys = await withWorker(bench, provider, "outbox", async (worker) => {
      const created = await newProject(worker, bench.adminToken);
      await call(`${worker.base}/domains`, created.secret, { domain: "bench.test" });
      return created;
    });
    for (const drain of drains) {
      measured.push(await withWorker(bench, provider, drain.provider, (worker) => measure(worker, keys.secret, drain)));
    }
    report(measured);
    const perSecond = await withWorker(bench, provider, "postmark", (worker) => endToEnd(worker, keys.secret));
    single("From call to provider, one email a call", perSecond, "mails/s", "≥ 200");
  } finally {
    bench.remove();
    provider.close();
  }
}

function report(measured) {
  for (const [n, { name, aim }] of drains.entries()) {
    if (aim)
      single(`A drain of ${mails.toLocaleString("en")} emails, ${name}`, measured[n].perSecond, "mails/s", `≥ ${aim}`);
  }
  table({
    title: "Each drain, and an email's CPU time in the isolate by phase",
    names: drains.map(({ name }) => name),
    figures: measured.map(({ perSecond, cpuShare, cpuMs, msOf }) => ({
      throughput: { value: perSecond, unit: "/s" },
      "workerd's CPU, of one core": { value: cpuShare * 100, unit: "%" },
      "workerd's CPU, an email": { value: cpuMs, unit: "ms" },
      ...Object.fromEntries(Object.entries(msOf).map(([phase, ms]) => [phase, { value: ms, unit: "ms" }])),
    })),
  });
}

/** Each drain has a Worker of its own, because the provider is a setting. */
async function withWorker(bench, provider, mailProvider, work) {
  const given = readEnvFile(bench.state.settings);
  writeEnvFile(bench.state.settings, { ...given, ...provider.settings, MAIL_PROVIDER: mailProvider });
  const inspectorPort = await findFreePort();
  const worker = await startBenchWorker("bench/held.ts", bench, { inspectorPort, deliversMail: true });
  try {
    return await work({ ...worker, inspectorPort });
  } finally {
    await worker.stop();
  }
}

async function measure(worker, secret, drain) {
  await drained(worker, secret, drain, profiledMails / 2);
  const { ms, cpuMs } = await drained(worker, secret, drain, mails);
  const isolate = await inspect(worker.inspectorPort);
  await isolate.ask("Debugger.enable");
  const times = await profiledDrain(isolate, worker, secret, drain);
  isolate.close();
  return {
    perSecond: (mails / ms) * 1000,
    cpuShare: cpuMs / ms,
    cpuMs: cpuMs / mails,
    msOf: byPhase(times, phases, profiledMails),
  };
}

/** Accepts mail that waits, and then releases it. */
async function drained(worker, secret, drain, count) {
  await accept(worker, secret, drain, count);
  const before = workerdMs(worker);
  const startedAt = performance.now();
  await letGo(worker);
  return { ms: performance.now() - startedAt, cpuMs: workerdMs(worker) - before };
}

async function profiledDrain(isolate, worker, secret, drain) {
  await accept(worker, secret, drain, profiledMails);
  return profiled(isolate, () => letGo(worker));
}

async function accept({ base }, secret, { body, perCall }, count) {
  await call(`${base}/bench/hold`);
  await send({ base }, secret, body, perCall, count);
}

let people = 0;

function send({ base }, secret, body, perCall, count) {
  const one = () => `r${++people}@example.com`;
  return load({
    url: `${base}/v1/send`,
    headers: { Authorization: `Bearer ${secret}` },
    connections: perCall === 1 ? connections : 1,
    total: Math.ceil(count / perCall),
    bodyOf: () => ({
      from: "hello@bench.test",
      subject: 'Welcome, {{ firstName ?? "there" }}',
      body,
      data: { plan: "pro", seats: 12, firstName: perCall === 1 ? `Ada ${people}` : undefined },
      to: perCall === 1 ? one() : Array.from({ length: perCall }, one),
    }),
  });
}

async function letGo({ base }) {
  await call(`${base}/bench/release`);
  await untilAllEnded(base);
}

async function untilAllEnded(base) {
  const deadline = Date.now() + longestMs;
  for (;;) {
    const { QUEUED = 0, SENDING = 0, ...ended } = await call(`${base}/bench/statuses`);
    if (QUEUED + SENDING === 0) return requireSent(ended);
    if (Date.now() > deadline) throw new Error(`${QUEUED + SENDING} emails are still waiting`);
    await sleep(100);
  }
}

function requireSent({ SENT, DELIVERED, ...others }) {
  if (Object.keys(others).length > 0) throw new Error(`Mails ended otherwise: ${JSON.stringify(others)}`);
}

/** Mail is accepted and delivered at the same time, by the same thread. */
async function endToEnd(worker, secret) {
  const count = mails / 5;
  await send(worker, secret, small, 1, count / 10);
  await untilAllEnded(worker.base);
  const startedAt = performance.now();
  await send(worker, secret, small, 1, count);
  await untilAllEnded(worker.base);
  return (count / (performance.now() - startedAt)) * 1000;
}
