import { load, median } from "./load.mjs";
import { compare, single } from "./report.mjs";
import { startBenchWorker } from "./worker.mjs";

// Many short rounds instead of a few long ones, so that other load on the machine affects both alike.
const rounds = 20;
const requestsPerRound = 100;
const warmUp = 400;
const connections = 32;

const send = {
  kind: "send",
  path: "/v1/send",
  key: "secret",
  title: "POST /v1/send, one recipient",
  leastThroughput: 0.85,
  call: {
    from: "hello@bench.test",
    subject: 'Welcome, {{ firstName ?? "there" }}',
    body: `<h1>Hello {{ firstName }}</h1>${"<p>Your plan is {{ plan }}, and here is what it holds.</p>".repeat(20)}`,
    data: { firstName: "Ada", plan: "pro", seats: 12 },
  },
  of: (n) => ({ to: `r${n}@example.com` }),
};

const track = {
  kind: "track",
  path: "/v1/track",
  key: "public",
  title: "POST /v1/track, a new contact",
  leastThroughput: 0.8,
  call: { event: "purchase", data: { plan: "pro", seats: 12, amount: { value: 49, persistent: false } } },
  of: (n) => ({ email: `r${n}@example.com` }),
};

const upsert = {
  kind: "upsert",
  path: "/contacts",
  key: "secret",
  title: "POST /contacts, a new contact",
  leastThroughput: 0.8,
  call: { data: { firstName: "Ada", plan: "pro", seats: 12 } },
  of: (n) => ({ email: `r${n}@example.com` }),
};

/** Comes last, when the other routes have created equally many thousands of contacts in the project of each Worker. */
const list = {
  kind: "list",
  path: "/contacts",
  key: "secret",
  title: "GET /contacts, the first 20",
  leastThroughput: 0.8,
};

/** Measures the hot paths, each against a bare Worker with the same statements and the same queue send. */
export async function benchRoutes() {
  const product = await startBenchWorker("src/index.ts");
  const bare = await startBenchWorker("bench/bare.ts");
  try {
    const keys = await setUpProduct(product);
    for (const route of [send, track, upsert, list]) await benchRoute(route, product, bare, keys);
    await benchRendering(bare);
  } finally {
    await Promise.all([product.stop(), bare.stop()]);
  }
}

async function benchRoute(route, product, bare, keys) {
  const { statements } = await post(`${bare.base}/setup/${route.kind}`, route.call ?? {});
  const headers = { Authorization: `Bearer ${keys[route.key]}` };
  const contestants = [
    { url: `${product.base}${route.path}`, headers, rounds: [] },
    { url: `${bare.base}/${route.kind}`, headers: {}, rounds: [] },
  ];
  for (const contestant of contestants) await run(route, contestant, connections, warmUp);
  // The two take turns, so that a noisy moment affects both.
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      const one = await run(route, contestant, 1, requestsPerRound / 4);
      const { latencies, perSecond } = await run(route, contestant, connections, requestsPerRound);
      contestant.rounds.push({ one: median(one.latencies), latency: median(latencies), perSecond });
    }
  }
  const work = statements === 1 ? "one statement" : `one batch of ${statements} statements`;
  report(`${route.title} (${work})`, route.leastThroughput, contestants);
}

async function benchRendering(bare) {
  const { msPerMail, nodes } = await post(`${bare.base}/render`, {});
  single(`Rendering, a template of ${nodes} nodes: HTML, subject and text`, msPerMail, "ms an email", "≤ 0.3");
}

let calls = 0;

function run({ call, of }, { url, headers }, connections, total) {
  const bodyOf = call && (() => ({ ...call, ...of(++calls) }));
  return load({ url, headers, connections, total, bodyOf });
}

function report(title, leastThroughput, [product, bare]) {
  const measures = {
    "median latency, 1 connection": { unit: "ms", aim: "≤ 1.5", of: ({ one }) => one },
    [`median latency, ${connections} connections`]: { unit: "ms", aim: "≤ 1.5", of: ({ latency }) => latency },
    [`throughput, ${connections} connections`]: {
      unit: "/s",
      aim: `≥ ${leastThroughput}`,
      of: ({ perSecond }) => perSecond,
    },
  };
  const each = (make) => Object.fromEntries(Object.entries(measures).map(([name, measure]) => [name, make(measure)]));
  const middle = (values) => median(values.toSorted((a, b) => a - b));
  const figures = (rounds) => each(({ unit, of }) => ({ value: middle(rounds.map(of)), unit }));
  compare({
    title,
    ours: figures(product.rounds),
    bare: figures(bare.rounds),
    aims: each(({ aim }) => aim),
    // The ratio of each round's own pair, because the machine is faster in one round and slower in the next.
    ratios: each(({ of }) => middle(product.rounds.map((round, n) => of(round) / of(bare.rounds[n])))),
  });
}

async function setUpProduct({ base, adminToken }) {
  const { keys } = await post(`${base}/admin/projects`, { name: "Bench" }, adminToken);
  await post(`${base}/domains`, { domain: "bench.test" }, keys.secret);
  return keys;
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
