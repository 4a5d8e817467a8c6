import { performance } from "node:perf_hooks";
import { fireCron } from "../scripts/lib/worker.mjs";
import { call } from "./api.mjs";
import { makeProjects } from "./projects.mjs";
import { compare, single } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const eventNames = 200_000;
const segments = 300;
const contacts = 5_000;
const rounds = 7;

/**
 * Measures the sweep of tracked segments in a project with more event names than any may have. The sweep finds out for
 * each segment whether anything that its condition reads has changed, and starts no computation otherwise.
 */
export async function benchSweeps() {
  const bench = await openBenchState();
  let worker;
  try {
    const { large, neighbour } = await makeProjects(bench, ["large", "neighbour"]);
    seed(bench.state, [
      { id: large.id, contacts, eventNames },
      { id: neighbour.id, contacts },
    ]);
    worker = await startBenchWorker("bench/timed.ts", bench);
    await makeSegments(worker, large);
    await sweep(worker);
    await call(`${worker.base}/bench/longest`);
    await report(worker, neighbour);
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

/** Each segment reads a field and two events with names of its own. */
async function makeSegments({ base }, { secret }) {
  for (let n = 0; n < segments; n++) {
    const filters = [
      { field: "data.plan", operator: "equals", value: "pro" },
      { field: `name ${n}`, operator: "triggered" },
      { field: `name ${n + 100_000}`, operator: "notTriggered" },
    ];
    const condition = { logic: "AND", groups: [{ filters }] };
    await call(`${base}/segments`, secret, { name: `Segment ${n}`, condition, trackMembership: true });
  }
}

async function report(worker, neighbour) {
  const [alone, beside, sweeps] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    alone.push(await timed(() => read(worker, neighbour)));
    const { made } = await call(`${worker.base}/bench/due`);
    if (made !== segments) throw new Error(`The last sweep left ${segments - made} segments behind`);
    const sweeping = timed(() => sweep(worker));
    beside.push(await timed(() => read(worker, neighbour)));
    sweeps.push(await sweeping);
  }
  const { batchMs } = await call(`${worker.base}/bench/longest`);
  const names = { ours: "meanwhile", bare: "alone" };
  const figure = (times) => ({ "GET /contacts of a neighbour": { value: median(times), unit: "ms" } });
  const title = `The sweep of ${segments} tracked segments in a project with ${eventNames.toLocaleString("en")} event names`;
  compare({ title, ours: figure(beside), bare: figure(alone), aims: {}, names });
  single("The sweep, whole", median(sweeps), "ms", "≤ 100");
  single("Its longest batch, for which others wait", batchMs, "ms", "≤ 25");
}

const read = ({ base }, { secret }) => call(`${base}/contacts?limit=10`, secret);

const sweep = (worker) => fireCron(worker, "*/5 * * * *");

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}
