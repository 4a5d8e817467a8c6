import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { load } from "./load.mjs";
import { included, pricesOfMillion } from "./prices.mjs";
import { profiled } from "./profile.mjs";
import { makeProjects } from "./projects.mjs";
import { startProvider } from "./provider.mjs";
import { column, single, table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";
import { everybody, fiveSteps, newWorkflow, onTick, template, tick, until } from "./workflows.mjs";

/** How many of each are made and counted. Counts of rows do not depend on it, apart from shared ones. */
const people = Number(process.env.BENCH_PEOPLE ?? 2_000);
const connections = 16;
const pollMs = 100;
const idleMs = 30_000;
const aDayMs = 24 * 60 * 60_000;
const longestMs = 10 * 60_000;

/** How much a small business does in a month. */
const month = {
  "an email": 3_000,
  "mail of a campaign": 20_000,
  "an event": 50_000,
  "an execution": 2_000,
  "a call": 5_000,
};
const secondsOfMonth = 30 * 24 * 60 * 60;

/**
 * Prints the price of a million of each, by the meter's counts, and how much of the plan's included amounts a small
 * business needs.
 */
export async function benchCost() {
  const provider = await startProvider();
  const receiver = await openReceiver();
  const bench = await openBenchState();
  const settings = {
    ...readEnvFile(bench.state.settings),
    ...provider.settings,
    ...{ LINK_SECRETS: randomHex(), WEBHOOK_SECRETS: randomHex() },
    ...{ OUTBOUND_ALLOW_LOOPBACK: receiver.place, RATE_LIMIT_API_PER_MINUTE: "1000000" },
  };
  try {
    // The outbox verifies every domain.
    writeEnvFile(bench.state.settings, { ...settings, MAIL_PROVIDER: "outbox" });
    const projects = await seededProjects(bench);
    writeEnvFile(bench.state.settings, { ...settings, MAIL_PROVIDER: "postmark" });
    const delivering = await withWorker(bench, { deliversMail: true }, async (worker) => ({
      "an email": await priced(worker, () => sendMails(worker, projects.mails)),
      "mail of a campaign": await priced(worker, () => sendCampaign(worker, projects.campaign)),
      "an event": await priced(worker, () => trackEvents(worker, projects.events)),
      "a call": await priced(worker, () => callWebhook(worker, projects.calls, receiver.url)),
      idle: await priced(worker, () => rest(worker)),
    }));
    const accepting = await withWorker(bench, {}, async (worker) => {
      // The first executions of a Worker also pay for what is read once.
      await execute(worker, projects.warm);
      return { "an execution": await priced(worker, () => execute(worker, projects.executions)) };
    });
    report({ ...delivering, ...accepting });
  } finally {
    bench.remove();
    receiver.close();
    provider.close();
  }
}

async function seededProjects(bench) {
  const names = ["mails", "campaign", "events", "calls", "warm", "executions"];
  const made = await makeProjects(bench, names, async (post, name) => {
    await post("/domains", { domain: `${name}.test` });
    const { id: segmentId } = await post("/segments", { name: "All", condition: everybody });
    const { id: templateId } = await post("/templates", { ...template, from: `hello@${name}.test` });
    return { segmentId, templateId, from: `hello@${name}.test` };
  });
  seed(
    bench.state,
    Object.entries(made).map(([name, { id }]) => ({ id, contacts: name === "warm" ? people / 10 : people })),
  );
  return made;
}

async function withWorker(bench, options, work) {
  const inspectorPort = await findFreePort();
  const worker = await startBenchWorker("bench/priced.ts", bench, { ...options, inspectorPort });
  try {
    const isolate = await inspect(inspectorPort);
    await isolate.ask("Debugger.enable");
    const worked = await work({ ...worker, isolate });
    isolate.close();
    return worked;
  } finally {
    await worker.stop();
  }
}

/** Returns the amounts that some work needs per item. `work` returns the number of items. */
async function priced(worker, work) {
  await call(`${worker.base}/bench/spent`);
  let count = 0;
  const times = await profiled(worker.isolate, async () => {
    count = await work();
  });
  const { written, ...spent } = await call(`${worker.base}/bench/spent`);
  const each = Object.fromEntries(Object.entries(spent).map(([name, value]) => [name, value / count]));
  return {
    written: Object.fromEntries(Object.entries(written).map(([name, rows]) => [name, rows / count])),
    each: {
      ...each,
      rowsRead: each.rowsRead + each.objectRowsRead,
      rowsWritten: each.rowsWritten + each.objectRowsWritten,
    },
    cpuMs: times.reduce((sum, { ms }) => sum + ms, 0) / count,
  };
}

/** The address of the n-th person of a seeded project. */
const emailOf = (n) => `person${n}@${n % 1000}.example.com`;

async function sendMails(worker, { secret, from }) {
  await load({
    url: `${worker.base}/v1/send`,
    headers: { Authorization: `Bearer ${secret}` },
    connections,
    total: people,
    bodyOf: (n) => ({ to: emailOf(n), from, subject: "Your receipt", body: template.body }),
  });
  await untilFinished(worker);
  return people;
}

async function sendCampaign(worker, { secret, from }) {
  const { name, subject, body } = template;
  const { data } = await call(`${worker.base}/campaigns`, secret, { name, subject, body, from, audienceType: "ALL" });
  await call(`${worker.base}/campaigns/${data.id}/send`, secret, {});
  await untilSo(async () => {
    const { status } = await call(`${worker.base}/campaigns/${data.id}`, secret);
    return status === "SENT";
  });
  const { sentCount } = await call(`${worker.base}/campaigns/${data.id}/stats`, secret);
  return sentCount;
}

async function trackEvents(worker, project) {
  await load({
    url: `${worker.base}/v1/track`,
    headers: { Authorization: `Bearer ${project.public}` },
    connections,
    total: people,
    bodyOf: (n) => ({ email: emailOf(n), event: "purchase", data: { amount: { value: n, persistent: false } } }),
  });
  return people;
}

/** An event with a webhook costs as much as an event and its call. */
async function callWebhook(worker, project, url) {
  await call(`${worker.base}/webhooks`, project.secret, { url, events: ["purchase"] });
  const made = await trackEvents(worker, project);
  await untilFinished(worker);
  return made;
}

/** Runs five steps for everybody, over a day, without the delivery of the mail. */
async function execute(worker, project) {
  const workflow = await newWorkflow(worker, project, onTick(project), fiveSteps(project));
  const { total } = await call(`${worker.base}/contacts?limit=1`, project.secret);
  await tick(worker, workflow);
  await until(worker, workflow, ({ WAITING = 0 }) => WAITING === total);
  await call(`${worker.base}/bench/ahead?ms=${aDayMs}&project=${project.id}`);
  await until(worker, workflow, ({ EXITED = 0 }) => EXITED === total);
  await call(`${worker.base}/bench/ahead?ms=0`);
  return total;
}

/** Stays idle for a while, as most installations are most of the time. Returns the number of seconds. */
async function rest(worker) {
  await fireCron(worker, "* * * * *");
  await sleep(idleMs);
  return idleMs / 1000;
}

async function untilFinished(worker) {
  await untilSo(async () => (await call(`${worker.base}/bench/unfinished`)).unfinished === 0);
}

async function untilSo(isSo) {
  const deadline = Date.now() + longestMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("It takes too long");
    await sleep(pollMs);
  }
}

/** Starts a customer's server, which accepts every call. */
async function openReceiver() {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end("ok"));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${server.address().port}`;
  return {
    place,
    url: `http://${place}/hook`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function report({ idle, ...kinds }) {
  const prices = Object.values(kinds).map(({ each, cpuMs }) => pricesOfMillion(each, { all: cpuMs }));
  const dollars = (of) => Object.fromEntries(Object.entries(of).map(([name, value]) => [name, { value, unit: "$" }]));
  table({
    title: "A million of each, by Cloudflare's list prices, beyond what the plan includes",
    names: Object.keys(kinds),
    figures: prices.map(dollars),
  });
  for (const [name, { written }] of Object.entries(kinds)) {
    const most = Object.entries(written).toSorted(([, one], [, other]) => other - one);
    column(`Rows written for ${name}`, Object.fromEntries(most.filter(([, rows]) => rows >= 0.05)), "rows");
  }
  const [, campaign, , , execution] = prices;
  single("A million emails of a campaign, to SENT", campaign.all, "$", "≤ 8");
  single("A million executions of five steps, with the acceptance of their mail", execution.all, "$", "≤ 20");
  const shares = Object.fromEntries(
    Object.entries(included).map(([name, amount]) => {
      const needOf = ({ each, cpuMs }) => (name === "cpuMs" ? cpuMs : each[name]);
      const busy = Object.entries(month).reduce((sum, [kind, count]) => sum + needOf(kinds[kind]) * count, 0);
      const value = ((busy + needOf(idle) * secondsOfMonth) / amount) * 100;
      return [name, { value, unit: "%" }];
    }),
  );
  const what = Object.entries(month).map(([kind, count]) => `${count.toLocaleString("en")} × ${kind}`);
  table({
    title: `A month of ${what.join(", ")}, of what the plan for $5 includes`,
    names: ["needed"],
    figures: [shares],
  });
}
