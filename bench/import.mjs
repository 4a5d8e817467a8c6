import { setTimeout as sleep } from "node:timers/promises";
import { call } from "./api.mjs";

/** Returns as many contacts as one import may contain, just below its limit of 5 MB. */
export function fiveMegabytes() {
  const lines = ["email,firstName,plan,seats"];
  let length = 0;
  for (let n = 0; length < 5 * 1024 * 1024 - 100; n++) {
    const line = `person${n}@import.example.com,Name${n},pro,${n % 100}`;
    lines.push(line);
    length += line.length + 1;
  }
  return { csv: lines.join("\n"), rows: lines.length - 1 };
}

/** Imports a file, and returns the job once it has ended. */
export async function importFile({ base }, key, csv) {
  const form = new FormData();
  form.set("file", new Blob([csv], { type: "text/csv" }), "contacts.csv");
  const { jobId } = await call(`${base}/contacts/import`, key, form);
  for (;;) {
    const job = await call(`${base}/contacts/import/${jobId}`, key);
    if (job.status !== "queued" && job.status !== "processing") return job;
    await sleep(50);
  }
}
