import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { call } from "./api.mjs";
import { makeProjects } from "./projects.mjs";
import { startProvider } from "./provider.mjs";
import { single, table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const contacts = Number(process.env.BENCH_RECIPIENTS ?? 200_000);
const samples = Number(process.env.BENCH_SAMPLES ?? 300);
/**
 * Each neighbour makes one call in this interval: far below the Worker's limit, so that only the campaign makes it
 * wait.
 */
const everyMs = 200;
const arrivesWithinMs = 30_000;
const pollMs = 50;

const paragraph = "<p>Your plan is {{ plan }}, and here is what it holds.</p>";
const body = `<h1>Hello {{ firstName ?? "there" }}</h1>${paragraph.repeat(10)}<a href="https://bench.test/news">More</a>`;

/**
 * Measures transactional mail of a campaign's own project and of another one, from the call of `/v1/send` to the call
 * of the provider, and reads of contacts: with nothing else running, while the campaign is frozen, and while it is sent
 * at top speed and at half of that.
 */
export async function benchLanes() {
  const arrivals = new Map();
  const pace = openPace();
  const provider = await startProvider({
    onMails(mails) {
      const now = performance.now();
      if (mails[0].MessageStream === "broadcast") return pace.take(mails.length);
      for (const { To } of mails) arrivals.get(To)?.(now);
    },
  });
  const bench = await openBenchState();
  const given = readEnvFile(bench.state.settings);
  const settings = { ...given, ...provider.settings, LINK_SECRETS: randomHex() };
  try {
    writeEnvFile(bench.state.settings, { ...settings, MAIL_PROVIDER: "outbox" });
    const projects = await seededProjects(bench);
    writeEnvFile(bench.state.settings, { ...settings, MAIL_PROVIDER: "postmark" });
    const worker = await startBenchWorker("bench/counted.ts", bench, { deliversMail: true });
    try {
      report(await compare({ worker, projects, arrivals, pace }));
    } finally {
      await worker.stop();
    }
  } finally {
    bench.remove();
    provider.close();
  }
}

async function compare(setting) {
  await sample(setting, 100);
  const before = await sample(setting, samples / 2);
  const top = await underCampaign(setting);
  setting.pace.perSecond = top.perSecond / 2;
  const half = await underCampaign(setting);
  setting.pace.perSecond = null;
  const after = await sample(setting, samples / 2);
  // Measured before and after, so that a machine that becomes slower meanwhile is slower for both.
  const idle = Object.fromEntries(Object.keys(before).map((name) => [name, [...before[name], ...after[name]]]));
  return { idle, top, half };
}

/** The campaign's provider: it answers calls one after another, at a given rate of emails, or all at once. */
function openPace() {
  const pace = { perSecond: null, taken: 0, take };
  let freeAt = 0;
  function take(mails) {
    pace.taken += mails;
    if (pace.perSecond === null) return undefined;
    const now = performance.now();
    freeAt = Math.max(freeAt, now) + (mails / pace.perSecond) * 1000;
    return sleep(freeAt - now);
  }
  return pace;
}

async function seededProjects(bench) {
  const projects = await makeProjects(bench, ["own", "other"], async (post, name) => {
    await post("/domains", { domain: `${name}.test` });
    return { from: `hello@${name}.test` };
  });
  seed(bench.state, [{ id: projects.own.id, contacts }]);
  return projects;
}

/** Samples while a campaign is frozen, and then while it is sent. The rest of the campaign is cancelled. */
async function underCampaign(setting) {
  const { worker, projects, pace } = setting;
  const { secret, from } = projects.own;
  const draft = { name: "News", subject: "News", body, from, audienceType: "ALL" };
  const { data } = await call(`${worker.base}/campaigns`, secret, draft);
  const standing = () => call(`${worker.base}/bench/campaign?id=${data.id}`);
  await call(`${worker.base}/campaigns/${data.id}/send`, secret, {});
  const freezing = await sampleWhile(setting, async () => (await standing()).phase === "enumerate");
  await call(`${worker.base}/bench/spent`);
  const [before, startedAt] = [pace.taken, performance.now()];
  const delivering = await sample(setting, samples);
  const perSecond = ((pace.taken - before) / (performance.now() - startedAt)) * 1000;
  const { longestBatchMs } = await call(`${worker.base}/bench/spent`);
  const { status, phase } = await standing();
  if (status !== "SENDING") throw new Error("The campaign was over too soon: it needs more contacts");
  await call(`${worker.base}/campaigns/${data.id}/cancel`, secret, {});
  while ((await standing()).phase !== null) await sleep(pollMs);
  return { freezing, delivering, perSecond, longestBatchMs, phase };
}

/** Returns the milliseconds of this many emails of each project, and of this many reads. */
function sample(setting, count) {
  let left = count;
  return sampleWhile(setting, async () => left-- > 0);
}

let people = 0;

/** Starts the next calls whether or not earlier ones have returned, as many callers do. */
async function sampleWhile({ worker, projects, arrivals }, goesOn) {
  const { own, other } = projects;
  const latencies = { own: [], other: [], read: [] };
  const started = [];
  const start = (name, work) => started.push(work.then((ms) => latencies[name].push(ms)));
  for (let nextAt = performance.now(); await goesOn(); nextAt += everyMs) {
    start("own", mailMs(worker, own, arrivals));
    start("other", mailMs(worker, other, arrivals));
    start("read", readMs(worker, own));
    await sleep(Math.max(0, nextAt + everyMs - performance.now()));
  }
  await Promise.all(started);
  return latencies;
}

async function mailMs({ base }, { secret, from }, arrivals) {
  const to = `r${++people}@example.com`;
  const startedAt = performance.now();
  const arrived = new Promise((resolve, reject) => {
    arrivals.set(to, resolve);
    setTimeout(() => reject(new Error(`An email has not come after ${arrivesWithinMs} ms`)), arrivesWithinMs).unref();
  });
  await call(`${base}/v1/send`, secret, {
    to,
    from,
    subject: "Your code",
    body: "<p>Your code is {{ code }}.</p>",
    data: { code: people },
  });
  const at = await arrived;
  arrivals.delete(to);
  return at - startedAt;
}

async function readMs({ base }, { secret }) {
  const startedAt = performance.now();
  await call(`${base}/contacts`, secret);
  return performance.now() - startedAt;
}

const kinds = {
  own: "mail of its project",
  other: "mail of another project",
  read: "GET /contacts",
};

function report({ idle, top, half }) {
  const columns = { idle, frozen: top.freezing, "half speed": half.delivering, "top speed": top.delivering };
  table({
    title: `Beside a campaign of ${contacts.toLocaleString("en")} contacts at ${top.perSecond.toFixed(0)} and ${half.perSecond.toFixed(0)} emails a second`,
    names: Object.keys(columns),
    figures: Object.values(columns).map((latencies) =>
      Object.fromEntries(
        Object.entries(kinds).flatMap(([kind, name]) => [
          [`${name}, p50`, { value: percentile(latencies[kind], 0.5), unit: "ms" }],
          [`${name}, p99`, { value: percentile(latencies[kind], 0.99), unit: "ms" }],
        ]),
      ),
    ),
  });
  for (const [kind, name] of Object.entries(kinds)) {
    const p99 = (latencies) => percentile(latencies[kind], 0.99);
    single(`p99 of ${name}, at half speed beside idle`, p99(half.delivering) / p99(idle), "times", "≤ 1.5");
    single(`p99 of ${name}, at top speed over idle`, p99(top.delivering) - p99(idle), "ms", "≤ 60");
  }
  single("Longest batch while the campaign goes at top speed", top.longestBatchMs, "ms", "≤ 25");
}

function percentile(latencies, part) {
  const sorted = latencies.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
