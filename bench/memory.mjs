import { execFileSync } from "node:child_process";
import { load } from "./load.mjs";

const sampleEveryMs = 25;

/** What the processes of a Worker hold, in megabytes. */
export function heldMegabytes(groupId) {
  const lines = execFileSync("ps", ["-eo", "pgid=,rss=,comm="], { encoding: "utf8" }).split("\n");
  const ours = lines.map((line) => line.trim().split(/\s+/)).filter(([group]) => Number(group) === groupId);
  const workerd = ours.filter(([, , name]) => name?.startsWith("workerd"));
  return workerd.reduce((sum, [, rss]) => sum + Number(rss) / 1024, 0);
}

/** Sends three mails with 10 MB of attachments at once, and looks at how much is held while they are worked on. */
export async function peakOfThreeLargeSends({ base, groupId }, key) {
  const file = { filename: "a.bin", contentType: "application/octet-stream" };
  const attachments = [{ ...file, content: "QUJD".repeat(Math.floor((10 * 1024 * 1024 - 1) / 3)) }];
  const before = heldMegabytes(groupId);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, heldMegabytes(groupId));
  }, sampleEveryMs);
  const call = { from: "hello@bench.test", subject: "Large", body: "<p>Large</p>", attachments };
  await load({
    url: `${base}/v1/send`,
    headers: { Authorization: `Bearer ${key}` },
    connections: 3,
    total: 3,
    bodyOf: (n) => ({ ...call, to: `large${n}@example.com` }),
  });
  clearInterval(timer);
  return { before, peak };
}
