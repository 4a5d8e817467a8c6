import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../scripts/lib/port.mjs";
import { startWorker, untilReady } from "../scripts/lib/worker.mjs";
import { call, newProject } from "./api.mjs";
import { fiveMegabytes, importFile } from "./import.mjs";
import { inspect } from "./inspector.mjs";
import { single } from "./report.mjs";
import { openBenchState } from "./worker.mjs";

/** The memory limit of an isolate at Cloudflare. */
const limitMegabytes = 128;
const rounds = 3;
const sampleEveryMs = 5;

/**
 * Sends three emails with 10 MB of files at once, from the request to the delivery, and then runs an import, in one
 * isolate whose heap may not exceed Cloudflare's limit: a moment that needs more ends the run. The figures are the live
 * memory, heap and buffers, whenever the isolate comes to rest; garbage would be collected before the limit is reached.
 */
export async function benchMemory() {
  const { state, adminToken, remove } = await openBenchState();
  const inspectorPort = await findFreePort();
  const v8Flags = `--expose-gc --max-heap-size=${limitMegabytes}`;
  const worker = startWorker({ port: await findFreePort(), ip: "127.0.0.1", state, inspectorPort, v8Flags });
  try {
    await untilReady(worker, new AbortController().signal);
    const isolate = await inspect(inspectorPort);
    const { secret } = await newProject(worker, adminToken);
    await call(`${worker.base}/domains`, secret, { domain: "bench.test" });
    const measure = () => liveMegabytes(isolate);
    const before = await measure();
    const sending = await highestWhile(measure, () => sendAll(worker, secret));
    const { csv, rows } = fiveMegabytes();
    const importing = await highestWhile(measure, () => importFile(worker, secret, csv));
    isolate.close();
    const title = `Memory that lives in the Worker's isolate (${before.toFixed(0)} MB before)`;
    single(`${title}, three sends of 10 MB at once with their deliveries`, sending, "MB", `≤ ${limitMegabytes}`);
    single(`${title}, an import of ${rows.toLocaleString("en")} rows`, importing, "MB", `≤ ${limitMegabytes}`);
  } finally {
    await worker.stop();
    remove();
  }
}

/** Returns the highest measurement during some work. */
export async function highestWhile(measure, work, everyMs = sampleEveryMs) {
  let highest = 0;
  let isDone = false;
  async function watch() {
    while (!isDone) {
      highest = Math.max(highest, await measure());
      await sleep(everyMs);
    }
  }
  const worked = work().finally(() => {
    isDone = true;
  });
  await Promise.all([worked, watch()]);
  return highest;
}

async function sendAll({ base }, secret) {
  const file = { filename: "a.bin", contentType: "application/octet-stream" };
  const attachments = [{ ...file, content: "QUJD".repeat(Math.floor((10 * 1024 * 1024 - 1) / 3)) }];
  const mail = { from: "hello@bench.test", subject: "Large", body: "<p>Large</p>", attachments };
  for (let round = 0; round < rounds; round++) {
    const answers = await Promise.all(
      [1, 2, 3].map((n) => call(`${base}/v1/send`, secret, { ...mail, to: `large${n}@example.com` })),
    );
    for (const { data } of answers) await untilDelivered(`${base}/emails/${data.emails[0].email}`, secret);
  }
}

async function untilDelivered(url, secret) {
  for (;;) {
    const { status, error } = await call(url, secret);
    if (status === "DELIVERED") return;
    if (!["QUEUED", "SENDING", "SENT"].includes(status)) throw new Error(`An email ended ${status}: ${error}`);
    await sleep(100);
  }
}

/** Returns the live memory of the isolate after a garbage collection: heap and buffers. */
export async function liveMegabytes({ ask, contextId }) {
  const { exceptionDetails } = await ask("Runtime.evaluate", { expression: "gc()", contextId });
  if (exceptionDetails) throw new Error(`Garbage could not be collected: ${exceptionDetails.text}`);
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = await ask("Runtime.getHeapUsage");
  return (usedSize + backingStorageSize + embedderHeapUsedSize) / (1024 * 1024);
}
