import { load, median } from "./load.mjs";
import { compare } from "./report.mjs";
import { startBenchWorker } from "./worker.mjs";

const rounds = 5;
const requestsPerRound = 400;
const connections = 32;

const call = {
  from: "hello@bench.test",
  subject: 'Welcome, {{ firstName ?? "there" }}',
  body: `<h1>Hello {{ firstName }}</h1>${"<p>Your plan is {{ plan }}, and here is what it holds.</p>".repeat(20)}`,
  data: { firstName: "Ada", plan: "pro", seats: 12 },
};

/** `POST /v1/send` to one new recipient, against a bare Worker that does the same batch and the same queue send. */
export async function benchSend() {
  const product = await startBenchWorker("src/index.ts");
  const bare = await startBenchWorker("bench/bare.ts");
  try {
    const headers = { Authorization: `Bearer ${await setUpProduct(product)}` };
    const { statements } = await post(`${bare.base}/setup`, call);
    const contestants = [
      { name: "product", url: `${product.base}/v1/send`, headers, one: [], many: [] },
      { name: "bare", url: `${bare.base}/send`, headers: {}, one: [], many: [] },
    ];
    // A first round warms both up and is thrown away; then they take turns, so that a noisy moment hits both.
    for (let round = 0; round <= rounds; round++) {
      for (const contestant of contestants) {
        const one = await run(contestant, 1, requestsPerRound / 4);
        const many = await run(contestant, connections, requestsPerRound);
        if (round > 0) contestant.one.push(median(one.latencies));
        if (round > 0) contestant.many.push({ latency: median(many.latencies), perSecond: many.perSecond });
      }
    }
    report(contestants, statements);
  } finally {
    await Promise.all([product.stop(), bare.stop()]);
  }
}

let recipients = 0;

function run({ url, headers }, connections, total) {
  return load({ url, headers, connections, total, bodyOf: () => ({ ...call, to: `r${++recipients}@example.com` }) });
}

function report([product, bare], statements) {
  const middle = (values) => median(values.toSorted((a, b) => a - b));
  const figures = ({ one, many }) => ({
    "median latency, 1 connection": { value: middle(one), unit: "ms" },
    [`median latency, ${connections} connections`]: { value: middle(many.map(({ latency }) => latency)), unit: "ms" },
    [`throughput, ${connections} connections`]: { value: middle(many.map(({ perSecond }) => perSecond)), unit: "/s" },
  });
  compare({
    title: `POST /v1/send, one recipient (one batch of ${statements} statements, one queue send)`,
    ours: figures(product),
    bare: figures(bare),
    aims: {
      "median latency, 1 connection": "≤ 1.5",
      [`median latency, ${connections} connections`]: "≤ 1.5",
      [`throughput, ${connections} connections`]: "≥ 0.6",
    },
  });
}

async function setUpProduct({ base, adminToken }) {
  const { keys } = await post(`${base}/admin/projects`, { name: "Bench" }, adminToken);
  await post(`${base}/domains`, { domain: "bench.test" }, keys.secret);
  return keys.secret;
}

async function post(url, body, token) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
