import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url).href);
export const keys = { secret: `sk_${"a".repeat(64)}`, public: `pk_${"b".repeat(64)}` };

/**
 * Answers as wrangler does, out of `account.json`: whatever that says of a command, else success. It keeps how it was
 * called, what it was told to set, and the configurations that it deployed.
 */
const wrangler = `
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const double = (name) => join(process.env.DOUBLE, name);
const args = process.argv.slice(2);
const config = JSON.parse(readFileSync(args[args.indexOf("--config") + 1], "utf8"));
const said = args.slice(0, args.indexOf("--config")).join(" ");
appendFileSync(double("calls"), said + "\\n");
const account = JSON.parse(readFileSync(double("account.json"), "utf8"));
const known = account.answers[said];
if (known) {
  console.log(known.stdout ?? "");
  console.error(known.stderr ?? "");
  process.exit(known.code ?? 0);
}
const databases = account.databases;
if (said === "whoami --json") console.log(JSON.stringify({ loggedIn: true, accounts: [{ id: "acme", name: "Acme" }] }));
else if (said === "d1 list --json") console.log(JSON.stringify(databases));
else if (said.startsWith("d1 execute ")) console.log(JSON.stringify([{ results: [] }]));
else if (said.startsWith("d1 create ")) {
  databases.push({ name: args[2], uuid: "id-of-" + args[2] });
  writeFileSync(double("account.json"), JSON.stringify(account));
} else if (said.startsWith("secret list")) console.log(JSON.stringify(account.secrets.map((name) => ({ name }))));
else if (said === "secret bulk") appendFileSync(double("secrets"), readFileSync(0));
else if (said === "deploy") {
  appendFileSync(double("deployed"), JSON.stringify(config) + "\\n");
  const targets = ["schedule: * * * * *", account.address];
  appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ type: "deploy", targets }) + "\\n");
}
`;

export interface Answer {
  stdout?: string;
  stderr?: string;
  code?: number;
}

interface Account {
  answers: Record<string, Answer>;
  databases: { name: string; uuid: string; jurisdiction?: string | null }[];
  secrets: string[];
  address: string;
}

const homes: string[] = [];
const stops: (() => void)[] = [];

/** For `afterEach`. */
export function closeCheckouts(): void {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
  for (const stop of stops.splice(0)) stop();
}

export const allQueues = ["mail", "campaign-mail", "events", "outbound", "jobs"].flatMap((name) => [
  `petrel-${name}`,
  `petrel-${name}-dead`,
]);

/** What `wrangler` prints of the queues that there are. */
export function queueTable(names: string[]): Answer {
  return { stdout: names.map((name) => `│ ${name} │ 2026-01-31 │`).join("\n") };
}

/** What an account has that was deployed to before, but for the Worker. */
const resources = {
  answers: { "queues list": queueTable(allQueues), "r2 bucket list": { stdout: "name:           petrel" } },
  databases: [{ name: "petrel", uuid: "id-of-petrel" }],
};

/** A checkout with that wrangler, and an account: with its resources, and without secrets, if nothing else is said. */
export function openCheckout(given: Partial<Account> = {}) {
  const home = mkdtempSync(join(tmpdir(), "petrel-deploy-test-"));
  homes.push(home);
  const checkout = join(home, "checkout");
  const double = join(home, "double");
  const temporary = join(home, "tmp");
  const bin = join(checkout, "node_modules", ".bin");
  for (const folder of [double, temporary, bin]) mkdirSync(folder, { recursive: true });
  for (const name of ["migrations", "scripts", "wrangler.toml", "petrel.example.toml"]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(checkout, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules", "@scalar"), join(checkout, "node_modules", "@scalar"));
  writeFileSync(join(checkout, "package-lock.json"), '{ "packages": {} }');
  writeFileSync(join(checkout, "node_modules", ".package-lock.json"), '{ "packages": {} }');
  symlinkSync(process.execPath, join(bin, "node"));
  writeFileSync(join(bin, "wrangler"), wrangler);
  const account = {
    ...{ databases: resources.databases, secrets: [], address: "https://petrel.acme.workers.dev" },
    ...given,
    answers: { ...resources.answers, ...given.answers },
  };
  writeFileSync(join(double, "account.json"), JSON.stringify(account));

  const lines = (name: string) => {
    const file = join(double, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  return {
    temporary,
    calls: () => lines("calls"),
    secrets: (): Record<string, string> => JSON.parse(lines("secrets").join("")),
    deployed: () => lines("deployed").map((line) => JSON.parse(line)),
    write: (name: string, text: string) => writeFileSync(join(checkout, name), text),
    read: (name: string) => readFileSync(join(checkout, name), "utf8"),
    has: (name: string) => existsSync(join(checkout, name)),
    written: () => readdirSync(double).toSorted(),
    /** Runs `npm run deploy`'s script, and gives what it says. */
    async deploy(args: string[] = [], environment: Record<string, string> = {}) {
      const env = { ...process.env, DOUBLE: double, TMPDIR: temporary, NO_COLOR: "1", ...environment };
      const script = [join(checkout, "scripts", "deploy.mjs"), ...args];
      const { stdout, stderr, code } = await promisify(execFile)(process.execPath, script, { env }).then(
        (ended) => ({ ...ended, code: 0 }),
        (ended: { stdout: string; stderr: string; code: number }) => ended,
      );
      return { code, said: stdout + stderr };
    },
  };
}

/** The Worker as far as a deploy calls it. With `opensLate` its door is shut for a call, as when a secret was just set. */
export async function startStubWorker({ projects = 0, opensLate = false } = {}) {
  const calls: { call: string; key: string; body: string }[] = [];
  let isOpen = !opensLate;
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    calls.push({ call, key: request.headers.authorization ?? "", body: await textOf(request) });
    const answers: Record<string, [number, unknown]> = {
      "GET /health": [200, { status: "ok" }],
      "GET /admin/projects?limit=1": isOpen ? [200, { data: Array(projects).fill({ id: "1" }) }] : [404, {}],
      "POST /admin/projects": [201, { project: { id: "1" }, keys }],
      "POST /domains": [201, { id: "2", verified: true }],
    };
    if (call.includes("/admin")) isOpen = true;
    const [status, body] = answers[call] ?? [500, {}];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { base: `http://127.0.0.1:${address.port}`, calls };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

export function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => line.length));
}

/** What a shell makes of the curl line that the text has. */
export async function curlIn(text: string, environment: Record<string, string> = {}): Promise<string[]> {
  const [line = ""] = text.match(/^curl [\s\S]+?\}'$/m) ?? [];
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { env: { ...process.env, ...environment } });
  return stdout.split("\0").slice(0, -1);
}
