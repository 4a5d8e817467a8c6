import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { buildClient } from "../scripts/lib/client/pack.mjs";
import { CLI } from "../scripts/lib/paths.mjs";
import { newProject } from "./api.mjs";
import { table } from "./report.mjs";
import { startBenchWorker } from "./worker.mjs";

const people = Number(process.env.BENCH_PEOPLE ?? 100_000);
const since = "2024-01-31T09:00:00Z";

const email = (n) => `person${n}@moving.example.com`;
const hasLeft = (n) => n % 10 === 0;

function linesOf(header, line, isOf = () => true) {
  const lines = [header];
  for (let n = 0; n < people; n++) if (isOf(n)) lines.push(line(n));
  return `${lines.join("\n")}\n`;
}

/** Makes the files of an account of each service: one person in ten has left, and one in a hundred is suppressed. */
const files = {
  csv: () => ({
    "people.csv": linesOf(
      "email,subscribed,createdAt,confirmedAt,topics,suppressed,plan",
      (n) =>
        `${email(n)},${hasLeft(n) ? "no" : "yes"},${since},${since},${n % 2 ? "News|Offers" : "News"},${n % 100 ? "" : "bounce"},pro`,
    ),
  }),
  plunk: () => ({
    "contacts.csv": linesOf("email,subscribed,createdAt,plan", (n) => `${email(n)},${!hasLeft(n)},${since},pro`),
  }),
  mailchimp: () => ({
    "subscribed_members.csv": linesOf(
      "Email Address,First Name,OPTIN_TIME,TAGS",
      (n) => `${email(n)},Ada,${since},vip`,
      (n) => !hasLeft(n),
    ),
    "unsubscribed_members.csv": linesOf(
      "Email Address,First Name,UNSUB_TIME",
      (n) => `${email(n)},Ada,${since}`,
      (n) => hasLeft(n) && n % 100 !== 0,
    ),
    "cleaned_members.csv": linesOf(
      "Email Address,First Name,CLEAN_TIME",
      (n) => `${email(n)},Ada,${since}`,
      (n) => n % 100 === 0,
    ),
  }),
  resend: () => ({
    "audience.csv": linesOf(
      "id,email,first_name,last_name,created_at,unsubscribed",
      (n) => `${n},${email(n)},Ada,Lovelace,${since},${hasLeft(n)}`,
    ),
  }),
  sendgrid: () => ({
    "contacts.csv": linesOf("EMAIL,FIRST_NAME,CITY,CREATED_AT", (n) => `${email(n)},Ada,London,${since}`),
    "unsubscribes.csv": linesOf("email,created", (n) => `${email(n)},1700000000`, hasLeft),
    "bounces.csv": linesOf(
      "email,created",
      (n) => `${email(n)},1700000000`,
      (n) => n % 100 === 1,
    ),
  }),
  loops: () => ({
    "audience.csv": linesOf(
      "email,firstName,subscribed,createdAt,source",
      (n) => `${email(n)},Ada,${!hasLeft(n)},${since},Form`,
    ),
  }),
  customerio: () => ({
    "people.csv": linesOf(
      "id,email,first_name,unsubscribed,created_at",
      (n) => `${n},${email(n)},Ada,${hasLeft(n)},1700000000`,
    ),
  }),
};

/** listmonk is only read by its API: starts a server that returns pages of subscribers. */
async function serveListmonk() {
  const list = {
    name: "News",
    type: "public",
    optin: "single",
    subscription_created_at: since,
    subscription_updated_at: since,
  };
  const subscriber = (n) => ({
    ...{
      email: email(n),
      name: "Ada",
      status: "enabled",
      created_at: since,
      updated_at: since,
      attribs: { city: "London" },
    },
    lists: [{ ...list, subscription_status: hasLeft(n) ? "unsubscribed" : "confirmed" }],
  });
  const server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://listmonk");
    const [from, size] = [(searchParams.get("page") - 1) * 1000, 1000];
    const count = pathname === "/api/subscribers" ? Math.max(0, Math.min(size, people - from)) : 0;
    const results = Array.from({ length: count }, (_, n) => subscriber(from + n));
    const all = { "/api/subscribers": people, "/api/lists": 1 }[pathname] ?? 0;
    const page = { results: pathname === "/api/lists" ? [list] : results, total: all };
    response
      .setHeader("Content-Type", "application/json")
      .end(JSON.stringify({ data: pathname === "/api/templates" ? [] : page }));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Runs `petrel import --from` for one account after another, each into its own project, with the counts at its end. */
export async function benchMoving() {
  await buildClient();
  const folder = mkdtempSync(join(tmpdir(), "petrel-moving-"));
  const worker = await startBenchWorker("src/index.ts");
  const listmonk = await serveListmonk();
  try {
    const figures = {};
    for (const [from, make] of Object.entries(files)) {
      const made = Object.entries(make());
      for (const [name, text] of made) writeFileSync(join(folder, name), text);
      figures[from] = await secondsOf(worker, folder, [from, ...made.map(([name]) => join(folder, name))]);
    }
    figures.listmonk = await secondsOf(worker, folder, ["listmonk", "--url", listmonk.url]);
    const aims = Object.fromEntries(Object.keys(figures).map((from) => [from, "≤ 30"]));
    table({
      title: `Moving ${people.toLocaleString("en")} people here, counted at the end`,
      names: ["seconds"],
      figures: [figures],
      aims,
    });
  } finally {
    listmonk.close();
    await worker.stop();
    rmSync(folder, { recursive: true });
  }
}

async function secondsOf(worker, folder, [from, ...args]) {
  const { secret } = await newProject(worker, worker.adminToken);
  const cwd = join(folder, from);
  mkdirSync(cwd);
  const env = { ...process.env, PETREL_URL: worker.base, PETREL_KEY: secret, LISTMONK_API_KEY: "user:token" };
  const startedAt = performance.now();
  const program = [join(CLI, "dist", "petrel.js"), "import", "--from", from, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd, env });
  if (!stdout.includes("All of it is here")) throw new Error(stdout);
  return { value: (performance.now() - startedAt) / 1_000, unit: "s" };
}
