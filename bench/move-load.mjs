import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** The number of calls of each kind per second. */
const perSecond = Number(process.env.BENCH_CALLS ?? 5);
const neighbourEveryMs = 200;
const campaignEveryMs = 15_000;
/** Refused calls within this time of one another belong to one refusal. */
const togetherMs = 1_000;

/** Each call starts at its time, whether or not earlier ones were answered, like the calls of many servers. */
const kinds = {
  track: (n) => ["POST", "/events/track", { email: `back${n}@end.example`, event: "load", data: { n: once(n) } }],
  join: (n) => ["POST", "/events/track", { email: `join${n}@end.example`, event: "joined" }],
  send: (n, { from }) => [
    "POST",
    "/v1/send",
    { to: `send${n}@end.example`, from, subject: "Code", body: `<p>${n}</p>` },
  ],
  contact: (n) => ["POST", "/contacts", { email: `written${n}@end.example`, data: { written: n } }],
};

/** A value of a single event, which is not stored on the contact. */
const once = (value) => ({ value, persistent: false });

/**
 * Makes the calls of a project's back end, and of its neighbours, all the time. A call that is refused with a 503 is
 * repeated after its Retry-After. `accepted` has the numbers of the successful calls of each kind.
 */
export function startLoad({ base }, { own, neighbours }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const accepted = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const [writes, faults, campaigns, underWay] = [[], [], [], new Set()];
  const latencies = Object.fromEntries(["own", ...Object.keys(neighbours)].map((name) => [name, []]));
  let isOver = false;

  async function timed(key, [method, path, body]) {
    const startedAt = performance.now();
    const { status, headers, text } = await send(agent, { url: `${base}${path}`, method, key, body });
    return { status, headers, text, startedAt, endedAt: performance.now() };
  }

  async function persist(call) {
    for (;;) {
      const answer = await timed(own.secret, call);
      writes.push(answer);
      if (answer.status < 300) return JSON.parse(answer.text);
      if (answer.status !== 503) throw new Error(`${call[1]} answered ${answer.status}: ${answer.text}`);
      await sleep(Number(answer.headers["retry-after"]) * 1_000);
    }
  }

  async function write(kind, n) {
    await persist(kinds[kind](n, own));
    accepted[kind].push(n);
  }

  /** Mails one in a hundred people, different ones each time. */
  async function campaign(n) {
    const filters = [{ field: "data.seats", operator: "equals", value: n % 100 }];
    const audience = { audienceType: "FILTERED", audienceCondition: { logic: "AND", groups: [{ filters }] } };
    const content = { name: "News", subject: "News", body: "<p>News</p>", from: own.from };
    const { data } = await persist(["POST", "/campaigns", { ...content, ...audience }]);
    campaigns.push(data.id);
    await persist(["POST", `/campaigns/${data.id}/send`, {}]);
  }

  async function visit(name, key, call) {
    const answer = await timed(key, call);
    if (answer.status >= 300) faults.push(`${name}: ${call[1]} answered ${answer.status}: ${answer.text}`);
    latencies[name].push(answer);
  }

  function start(work) {
    const tracked = work.catch((error) => faults.push(error.message)).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  async function every(ms, make) {
    const startedAt = performance.now();
    for (let n = 0; !isOver; n++) {
      make(n);
      await sleep(Math.max(0, startedAt + (n + 1) * ms - performance.now()));
    }
  }

  const loops = Promise.all([
    ...Object.keys(kinds).map((kind) => every(1_000 / perSecond, (n) => start(write(kind, n)))),
    every(campaignEveryMs, (n) => start(campaign(n))),
    every(neighbourEveryMs, (n) => {
      start(visit("own", own.secret, ["GET", "/contacts?limit=10"]));
      for (const [name, { secret }] of Object.entries(neighbours)) {
        start(visit(name, secret, ["GET", "/contacts?limit=10"]));
        start(visit(name, secret, ["POST", "/events/track", { email: `n${n}@near.example`, event: "visit" }]));
      }
    }),
  ]);

  return {
    accepted,
    campaigns,
    faults,
    writes,
    /** Milliseconds of the calls that began within a span of time, sorted. */
    between: (name, from, to) =>
      latencies[name]
        .filter(({ startedAt }) => startedAt >= from && startedAt < to)
        .map(({ startedAt, endedAt }) => endedAt - startedAt)
        .toSorted((one, other) => one - other),
    async stop() {
      isOver = true;
      await loops;
      await Promise.all(underWay);
      agent.destroy();
    },
  };
}

/** Returns the longest time in which writes were refused, as callers saw it: from the first call to the last answer. */
export function longestRefusal(writes) {
  const refused = writes.filter(({ status }) => status === 503).toSorted((one, other) => one.endedAt - other.endedAt);
  const spans = [];
  for (const { startedAt, endedAt } of refused) {
    const last = spans.at(-1);
    if (last && endedAt - last.to < togetherMs)
      Object.assign(last, { to: endedAt, from: Math.min(last.from, startedAt) });
    else spans.push({ from: startedAt, to: endedAt });
  }
  return { calls: refused.length, ms: Math.max(0, ...spans.map(({ from, to }) => to - from)), times: spans.length };
}

function send(agent, { url, method, key, body }) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const call = request(url, { method, agent, headers });
    call.on("error", reject);
    call.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
