import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { dim } from "../scripts/lib/screen.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { call } from "./api.mjs";
import { load, median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { startProvider } from "./provider.mjs";
import { table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

/** A database and queues at local distance, and as far away as another continent. */
const distances = [
  { name: "near", d1: 0, queue: 0 },
  { name: "far", d1: 80, queue: 300 },
];
const [, far] = distances;
/** The time that is computed in addition to the one round trip of an answer. */
const computingMs = 10;
/**
 * Aims of the far column. Objects are near in both columns, so the second round trip of a key, to its object, takes no
 * time here.
 */
const aims = {
  "send, p50": `≤ ${far.d1 + computingMs}`,
  "send with a key, p50": `≤ ${2 * far.d1}`,
  "track, p50": `≤ ${far.d1 + computingMs}`,
  "from an event to its first mail, p50": "≤ 1000",
  "from an event to its first mail, longest": "≤ 1000",
};
const rows = [
  ...["track", "send", "campaign, postmark", "campaign, ses", "executions"],
  ...["round trip to D1", "send, p50", "send with a key, p50", "track, p50", "GET /contacts, p50"],
  ...["from an event to its first mail, p50", "from an event to its first mail, longest"],
];
const requests = Number(process.env.BENCH_REQUESTS ?? 2_000);
const recipients = Number(process.env.BENCH_RECIPIENTS ?? 4_000);
const executions = Number(process.env.BENCH_EXECUTIONS ?? 600);
const settings = ["BENCH_REQUESTS", "BENCH_RECIPIENTS", "BENCH_EXECUTIONS"];
/** Enough concurrent calls that waiting does not limit the throughput. */
const connections = 200;
const samples = 30;
const longestMs = 5 * 60_000;

const body = `<h1>Hello {{ firstName ?? "there" }}</h1>${"<p>Your plan is {{ plan }}.</p>".repeat(10)}`;
const news = { name: "News", subject: "News for {{ firstName }}", body, audienceType: "ALL" };

/** Measures the four throughputs of the product, and the latency of a caller near its database and far from it. */
export async function benchFar() {
  const startedAt = performance.now();
  console.log(dim(`far: some six minutes (est.) on two cores that do nothing else; less with ${settings.join(", ")}`));
  const provider = await startProvider();
  const bench = await openBenchState();
  const given = {
    ...readEnvFile(bench.state.settings),
    ...provider.settings,
    LINK_SECRETS: randomHex(),
    // Executions start with events of a public key.
    PUBLIC_MAILS_PER_HOUR: "1000000",
  };
  const withProvider = (name) => writeEnvFile(bench.state.settings, { ...given, MAIL_PROVIDER: name });
  try {
    withProvider("outbox");
    const projects = await makeProjects(bench, ["calls", "campaigns"], async (post, name) => {
      await post("/domains", { domain: `${name}.test` });
      return { from: `hello@${name}.test` };
    });
    seed(bench.state, [{ id: projects.campaigns.id, contacts: recipients }]);
    const figures = distances.map(({ d1 }) => ({ "round trip to D1": { value: d1, unit: "ms" } }));
    withProvider("postmark");
    await atEach(bench, figures, (worker) => callsAndExecutions(worker, projects));
    for (const name of ["postmark", "ses"]) {
      withProvider(name);
      await atEach(bench, figures, async (worker) => ({
        [`campaign, ${name}`]: { value: await campaign(worker, projects.campaigns), unit: "/s" },
      }));
    }
    table({
      title: `D1 at ${far.d1} ms and queues at ${far.queue} ms, beside none`,
      names: distances.map(({ name }) => name),
      ...{ figures, rows, aims },
    });
    console.log(dim(`  measured in ${Math.round((performance.now() - startedAt) / 1000)} s`));
  } finally {
    bench.remove();
    provider.close();
  }
}

async function atEach(bench, figures, measure) {
  const worker = await startBenchWorker("bench/far.ts", bench, { deliversMail: true });
  try {
    for (const [n, { d1, queue }] of distances.entries()) {
      await call(`${worker.base}/bench/far?d1=${d1}&queue=${queue}`);
      Object.assign(figures[n], await measure(worker));
    }
  } finally {
    await worker.stop();
  }
}

async function callsAndExecutions(worker, { calls }) {
  const run = Math.random().toString(36).slice(2);
  const secret = { Authorization: `Bearer ${calls.secret}` };
  const send = {
    url: `${worker.base}/v1/send`,
    headers: secret,
    // Mail that is scheduled for tomorrow is only accepted, so no delivery runs during the measurement.
    bodyOf: (n) => ({
      to: `${run}${n}@example.com`,
      from: calls.from,
      subject: "Hello",
      body,
      scheduledAt: tomorrow(),
    }),
  };
  const track = {
    url: `${worker.base}/v1/track`,
    headers: { Authorization: `Bearer ${calls.public}` },
    bodyOf: (n) => ({ email: `${run}${n}@example.com`, event: "seen", data: { plan: "pro" } }),
  };
  const p50 = async (what) => median((await load({ ...what, connections: 1, total: samples })).latencies);
  const perSecond = async (what) => (await load({ ...what, connections, total: requests })).perSecond;
  await p50(send);
  await p50(track);
  const figures = {
    "send, p50": { value: await p50(send), unit: "ms" },
    "send with a key, p50": { value: await keyed(send), unit: "ms" },
    "track, p50": { value: await p50(track), unit: "ms" },
    "GET /contacts, p50": { value: await p50({ url: `${worker.base}/contacts`, headers: secret }), unit: "ms" },
    track: { value: await perSecond(track), unit: "/s" },
    send: { value: await perSecond(send), unit: "/s" },
  };
  return { ...figures, ...(await executed(worker, calls)) };
}

const tomorrow = () => new Date(Date.now() + 24 * 60 * 60_000).toISOString();

/** Each call has its own key. */
async function keyed({ url, headers, bodyOf }) {
  const latencies = [];
  for (let n = 0; n < samples; n++) {
    const startedAt = performance.now();
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify(bodyOf(n)),
    });
    await response.arrayBuffer();
    latencies.push(performance.now() - startedAt);
  }
  return median(latencies.toSorted((a, b) => a - b));
}

/**
 * Measures executions of one email, each started by an event: how many per second, and how long a single one takes from
 * its event to its mail.
 */
async function executed(worker, project) {
  const post = (path, given) => call(`${worker.base}${path}`, project.secret, given);
  const event = `signup-${Math.random().toString(36).slice(2)}`;
  const template = { name: event, subject: "Welcome", body, from: project.from, type: "TRANSACTIONAL" };
  const { id: templateId } = await post("/templates", template);
  const { id, steps } = await post("/workflows", { name: event, eventName: event });
  const mail = { type: "SEND_EMAIL", config: {}, templateId, connectFrom: steps[0].id };
  await post(`/workflows/${id}/steps`, mail);
  await call(`${worker.base}/workflows/${id}`, project.secret, { enabled: true }, "PATCH");
  const headers = { Authorization: `Bearer ${project.public}` };
  const ended = async (count) => {
    const until = Date.now() + longestMs;
    for (;;) {
      const list = await call(`${worker.base}/workflows/${id}/executions?status=COMPLETED&pageSize=1`, project.secret);
      if (list.total >= count) return;
      if (Date.now() > until) throw new Error(`${list.total} of ${count} executions ended`);
      await sleep(100);
    }
  };
  const waits = [];
  for (let n = 0; n < samples; n++) {
    const email = `one-${event}-${n}@example.com`;
    const { data } = await call(`${worker.base}/v1/track`, project.public, { email, event });
    await ended(n + 1);
    const { data: mails } = await call(`${worker.base}/emails?contactId=${data.contact}`, project.secret);
    waits.push(Date.parse(mails[0].createdAt) - Date.parse(data.timestamp));
  }
  waits.sort((a, b) => a - b);
  const startedAt = performance.now();
  const bodyOf = (n) => ({ email: `${event}-${n}@example.com`, event });
  await load({ url: `${worker.base}/v1/track`, headers, connections, total: executions, bodyOf });
  await ended(samples + executions);
  return {
    executions: { value: executions / ((performance.now() - startedAt) / 1000), unit: "/s" },
    "from an event to its first mail, p50": { value: median(waits), unit: "ms" },
    "from an event to its first mail, longest": { value: waits.at(-1), unit: "ms" },
  };
}

async function campaign({ base }, { secret, from }) {
  const { data } = await call(`${base}/campaigns`, secret, { ...news, from });
  const startedAt = performance.now();
  await call(`${base}/campaigns/${data.id}/send`, secret, {});
  const until = Date.now() + longestMs;
  for (;;) {
    const { status, totalRecipients } = await call(`${base}/campaigns/${data.id}`, secret);
    if (status === "SENT") return totalRecipients / ((performance.now() - startedAt) / 1000);
    if (Date.now() > until) throw new Error(`The campaign is ${status} after ${longestMs} ms`);
    await sleep(50);
  }
}
