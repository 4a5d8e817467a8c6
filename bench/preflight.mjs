import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { startWorker, untilReady } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { inspect } from "./inspector.mjs";
import { liveMegabytes } from "./memory.mjs";
import { makeProjects } from "./projects.mjs";
import { table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState } from "./worker.mjs";

const contacts = Number(process.env.BENCH_CONTACTS ?? 10_000);
const lookEveryMs = 500;

const small = `<h1>Hello {{ firstName ?? "there" }}</h1>${"<p>Your plan is {{ plan }}, and here is what it holds.</p>".repeat(20)}<a href="https://bench.test/news">Read on</a>`;
const article = `<tr><td style="padding:16px 24px;font-size:16px;color:#333"><h2 style="margin:0 0 8px">A part for you</h2><p>{{ firstName ?? "Friend" }}, here is what happened this month, with a sentence or two of text.</p><a href="https://bench.test/news" style="color:#fff;background:#0a0">Read on</a></td></tr>\n`;
const bodies = { small, newsletter: `<html><body><table>${article.repeat(72)}</table></body></html>` };

/**
 * Measures pre-flights of one project, tracked, and the isolate's live memory meanwhile, which must not grow with the
 * recipients.
 */
export async function benchPreflight() {
  const bench = await openBenchState();
  const { settings } = bench.state;
  writeEnvFile(settings, { ...readEnvFile(settings), MAIL_PROVIDER: "outbox", LINK_SECRETS: randomHex() });
  try {
    const { own } = await makeProjects(bench, ["own"], async (post) => {
      await post("/domains", { domain: "bench.test" });
    });
    const { id, secret } = own;
    seed(bench.state, [{ id, contacts, events: contacts }]);
    const figures = [];
    for (const body of Object.values(bodies)) figures.push(await measure(bench, secret, body));
    table({ title: `A pre-flight of ${contacts.toLocaleString("en")} contacts`, names: Object.keys(bodies), figures });
  } finally {
    bench.remove();
  }
}

/** Each runs in an isolate of its own, first undisturbed, then with a garbage collection before each measurement. */
async function measure({ state }, secret, body) {
  const inspectorPort = await findFreePort();
  const worker = startWorker({
    port: await findFreePort(),
    ip: "127.0.0.1",
    state,
    inspectorPort,
    v8Flags: "--expose-gc",
  });
  try {
    await untilReady(worker, new AbortController().signal);
    const campaign = {
      name: "Bench",
      subject: "News for {{ firstName }}",
      body,
      from: "hello@bench.test",
      audienceType: "ALL",
    };
    const { data } = await call(`${worker.base}/campaigns`, secret, campaign);
    const began = performance.now();
    const { recipients } = await preflight(worker, secret, data.id, async () => {});
    const seconds = (performance.now() - began) / 1_000;
    const isolate = await inspect(inspectorPort);
    const alive = [await liveMegabytes(isolate)];
    await preflight(worker, secret, data.id, async () => alive.push(await liveMegabytes(isolate)));
    isolate.close();
    return {
      recipients: { value: recipients / seconds, unit: "/s" },
      "alive before": { value: alive[0], unit: "MB" },
      "alive, most": { value: Math.max(...alive), unit: "MB" },
      "alive, last": { value: alive.at(-1), unit: "MB" },
    };
  } finally {
    await worker.stop();
  }
}

async function preflight({ base }, secret, id, look) {
  const { jobId } = await call(`${base}/campaigns/${id}/preflight`, secret, {});
  for (;;) {
    const { status, result, errors } = await call(`${base}/jobs/${jobId}`, secret);
    if (status === "completed") return result;
    if (status === "failed") throw new Error(`The pre-flight failed: ${JSON.stringify(errors)}`);
    await look();
    await sleep(lookEveryMs);
  }
}
