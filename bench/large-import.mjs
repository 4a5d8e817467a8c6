import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { randomHex } from "../scripts/lib/settings.mjs";
import { call, newProject } from "./api.mjs";
import { compare } from "./report.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const megabytes = Number(process.env.BENCH_MB ?? 100);
const note = "x".repeat(400);

/** A file of this many bytes or a little less, whose rows have half a kilobyte. */
function fileOf(bytes) {
  const lines = ["email,plan,seats,note"];
  for (let n = 0, length = lines[0].length; length < bytes - 600; n++) {
    const line = `person${n}@import.example.com,pro,${n % 100},${n} ${note}`;
    lines.push(line);
    length += line.length + 1;
  }
  return Buffer.from(lines.join("\n"));
}

/** Tracks events of a neighbour, one after the other, until it is told to stop. Returns how long each took. */
function track({ base }, key) {
  const took = [];
  let isOver = false;
  const tracked = (async () => {
    for (let n = 0; !isOver; n++) {
      const startedAt = performance.now();
      await call(`${base}/events/track`, key, { email: `near${n % 50}@end.example`, event: "seen" });
      took.push(performance.now() - startedAt);
      await sleep(50);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await tracked;
      return took.toSorted((one, other) => one - other);
    },
  };
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function upload({ base }, key, file) {
  const { id, partBytes, parts } = await call(`${base}/contacts/imports`, key, { bytes: file.byteLength });
  for (const { number, bytes, url } of parts) {
    const body = file.subarray((number - 1) * partBytes, (number - 1) * partBytes + bytes);
    const { pathname, search } = new URL(url);
    const stored = await fetch(`${base}${pathname}${search}`, { method: "PUT", body });
    if (!stored.ok) throw new Error(`A part was answered ${stored.status}: ${await stored.text()}`);
  }
  return id;
}

async function ended({ base }, key, jobId) {
  for (;;) {
    const job = await call(`${base}/contacts/import/${jobId}`, key);
    if (job.status !== "queued" && job.status !== "processing") return job;
    await sleep(500);
  }
}

/** Measures what a neighbour feels while another project uploads a large file in parts, plans its import, and imports it. */
export async function benchLargeImport() {
  // Their secret signs the URLs of parts.
  const bench = await openBenchState({ settings: { LINK_SECRETS: randomHex() } });
  const worker = await startBenchWorker("src/index.ts", bench);
  try {
    const [own, neighbour] = [await newProject(worker, worker.adminToken), await newProject(worker, worker.adminToken)];
    const file = fileOf(megabytes * 1024 * 1024);
    const phases = {
      idle: () => sleep(10_000),
      upload: async () => {
        id = await upload(worker, own.secret, file);
      },
      plan: async () => {
        for (let turn = 0; turn < 3; turn++)
          await call(`${worker.base}/contacts/imports/${id}/complete?dryRun=true`, own.secret, {});
      },
      import: async () => {
        await call(`${worker.base}/contacts/imports/${id}/complete`, own.secret, {});
        const job = await ended(worker, own.secret, id);
        if (job.status !== "completed") throw new Error(`The import failed: ${job.reason}`);
      },
    };
    let id = "";
    const felt = {};
    for (const [name, phase] of Object.entries(phases)) {
      const startedAt = performance.now();
      const tracking = track(worker, neighbour.secret);
      await phase();
      felt[name] = { took: await tracking.stop(), seconds: (performance.now() - startedAt) / 1_000 };
    }
    for (const name of ["upload", "plan", "import"]) {
      const { took, seconds } = felt[name];
      const figures = (sorted) => ({
        "track, p50": { value: at(sorted, 0.5), unit: "ms" },
        "track, p95": { value: at(sorted, 0.95), unit: "ms" },
      });
      compare({
        title: `A neighbour during the ${name} of ${megabytes} MB, which takes ${seconds.toFixed(0)} s`,
        ours: figures(took),
        bare: figures(felt.idle.took),
        aims: {},
        names: { ours: "busy", bare: "idle" },
      });
    }
  } finally {
    await worker.stop();
    bench.remove();
  }
}
