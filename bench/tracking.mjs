import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { call, newProject } from "./api.mjs";
import { load, median } from "./load.mjs";
import { single, table } from "./report.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const mails = 200;
const connections = 32;
const rounds = 10;
const requestsPerRound = 100;
const sustained = 2_000;

/** Measures the click redirect and the pixel next to routes that only answer. */
export async function benchTracking() {
  const bench = await openBenchState();
  const { settings } = bench.state;
  writeEnvFile(settings, { ...readEnvFile(settings), MAIL_PROVIDER: "outbox", LINK_SECRETS: randomHex() });
  const product = await startBenchWorker("bench/held.ts", bench, { deliversMail: true });
  const bare = await startBenchWorker("bench/bare.ts");
  try {
    await sendMails(product, bench.adminToken);
    const links = await call(`${product.base}/bench/links`);
    for (const kind of ["click", "pixel"]) await benchAnswers(kind, product, bare, links);
    await benchSustained(product, bare, links);
  } finally {
    await Promise.all([product.stop(), bare.stop()]);
    bench.remove();
  }
}

async function sendMails(product, adminToken) {
  const { secret } = await newProject(product, adminToken);
  await call(`${product.base}/domains`, secret, { domain: "bench.test" });
  const to = Array.from({ length: mails }, (_, n) => `r${n}@example.com`);
  await call(`${product.base}/v1/send`, secret, {
    to,
    from: "hello@bench.test",
    subject: "Hello",
    body: "<p>Hello</p>",
  });
  for (;;) {
    const { DELIVERED = 0 } = await call(`${product.base}/bench/statuses`);
    if (DELIVERED === mails) return;
    await sleep(100);
  }
}

/**
 * Measures the answer alone, without consumers of the hits. The two take turns, so that a noisy moment affects both.
 */
async function benchAnswers(kind, product, bare, links) {
  await call(`${product.base}/bench/hits/hold`);
  const contestants = [(n) => links[n % mails][kind], () => `${bare.base}/${kind}`];
  const run = async (urlOf, total) => (await load({ urlOf, headers: {}, connections, total })).perSecond;
  for (const urlOf of contestants) await run(urlOf, 300);
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const [ours, theirs] = [await run(contestants[0], requestsPerRound), await run(contestants[1], requestsPerRound)];
    ratios.push(ours / theirs);
  }
  await call(`${product.base}/bench/hits/release`);
  single(`The answer of a ${kind} alone, beside a bare route`, middle(ratios), "of its throughput", "≥ 0.8");
}

/** Measures from the first click until the last is recorded, by the same thread. */
async function benchSustained(product, bare, links) {
  const { recorded: before } = await call(`${product.base}/bench/hits`);
  const startedAt = performance.now();
  await load({ urlOf: (n) => links[n % mails].click, headers: {}, connections, total: sustained });
  const answeredMs = performance.now() - startedAt;
  for (;;) {
    const { recorded } = await call(`${product.base}/bench/hits`);
    if (recorded - before >= sustained) break;
    await sleep(20);
  }
  const ours = (sustained / (performance.now() - startedAt)) * 1000;
  const perSecond = async (path) =>
    (await load({ url: `${bare.base}${path}`, headers: {}, connections, total: sustained })).perSecond;
  const [plain, told] = [await perSecond("/click"), await perSecond("/told")];
  single("Answered and recorded, beside a bare route", ours / plain, "of its throughput", "≥ 0.5");
  table({
    title: `${sustained.toLocaleString("en")} clicks over ${connections} connections`,
    names: ["answered", "recorded", "bare", "bare + queue"],
    figures: [(sustained / answeredMs) * 1000, ours, plain, told].map((value) => ({
      throughput: { value, unit: "/s" },
    })),
  });
}

function middle(values) {
  return median(values.toSorted((a, b) => a - b));
}
