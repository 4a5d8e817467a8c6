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
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url).href);
export const keys = { secret: `sk_${"a".repeat(64)}`, public: `pk_${"b".repeat(64)}` };

/**
 * Answers as wrangler does, out of `account.json`, which is the account: what is created is there for the next call, and
 * each database is one of SQLite. It keeps how it was called, and the configurations that it deployed. `answers` say
 * something else to a command, `lacks` are the permissions that the token does not have, and `fault` is one call that
 * fails, before or after its effect, or during which the deploy is interrupted.
 */
const wrangler = `
const { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { DatabaseSync } = require("node:sqlite");
const double = (name) => join(process.env.DOUBLE, name);
const args = process.argv.slice(2);
const config = JSON.parse(readFileSync(args[args.indexOf("--config") + 1], "utf8"));
const isPlaceholder = config.main === "index.js";
const secretsFile = args.includes("--secrets-file") ? args[args.indexOf("--secrets-file") + 1] : null;
const said = args
  .slice(0, args.indexOf("--config"))
  .map((arg) => (arg === secretsFile ? "FILE" : arg))
  .concat(isPlaceholder ? ["a placeholder"] : [])
  .join(" ");
appendFileSync(double("calls"), said + "\\n");
const account = JSON.parse(readFileSync(double("account.json"), "utf8"));
const [command, verb, third] = args;

function refuse(text) {
  console.error("✘ [ERROR] " + text);
  process.exit(1);
}

const area = { queues: "Queues", r2: "Workers R2 Storage", d1: "D1", secret: "Workers Scripts", deploy: "Workers Scripts", whoami: "User Details" }[command];
const paths = { Queues: "/accounts/acme/queues", "Workers R2 Storage": "/accounts/acme/r2/buckets", D1: "/accounts/acme/d1/database", "Workers Scripts": "/accounts/acme/workers/scripts/petrel", "User Details": "/user", "Workers Routes": "/zones/zone/workers/routes" };
const isEdit = command === "deploy" || /create|apply/.test(said);
function needs(permission) {
  if (account.lacks.includes(permission) || (isEdit && account.lacks.includes(permission + ": Edit")))
    refuse("A request to the Cloudflare API (" + paths[permission] + ") failed.\\n\\n  Authentication error [code: 10000]");
}
needs(area);
if (command === "deploy" && config.routes) needs("Workers Routes");
if (command === "deploy" && config.queues) needs("Queues");
if (command === "deploy" && account.isFree && config.limits)
  refuse("A request to the Cloudflare API (/accounts/acme/workers/scripts/petrel) failed.\\n\\n  CPU limits are not supported for the Free plan. [code: 100328]");

const known = account.answers[said];
if (known) {
  console.log(known.stdout ?? "");
  console.error(known.stderr ?? "");
  process.exit(known.code ?? 0);
}
const { fault } = account;
const isFault = fault && fault.call === said && !existsSync(double("failed"));
if (isFault) {
  // A file of its own: calls that run side by side would write over each other's account.
  writeFileSync(double("failed"), said);
  if (fault.when === "before") refuse("fetch failed");
  if (fault.when === "interrupted") process.kill(process.ppid, "SIGTERM");
}

function databaseOf(name) {
  const bound = config.d1_databases.find(({ binding, database_name }) => binding === name || database_name === name);
  const found = account.databases.find(({ uuid, name }) => (bound.database_id ? uuid === bound.database_id : name === bound.database_name));
  if (!found) refuse("Couldn't find a D1 DB named '" + name + "'");
  mkdirSync(double("d1"), { recursive: true });
  return new DatabaseSync(double(join("d1", found.uuid)));
}

const table = (names) => console.log(names.map((name) => "│ " + name + " │ 2026-01-31 │").join("\\n"));
const create = (list, name) => {
  if (account[list].includes(name)) refuse(name + " already exists");
  account[list].push(name);
};
if (command === "auth") console.log(JSON.stringify({ type: "oauth", token: "the-token" }));
else if (command === "whoami") console.log(JSON.stringify({ loggedIn: true, accounts: [{ id: "acme", name: "Acme" }] }));
else if (said === "queues list") table(account.queues);
else if (command === "queues") create("queues", third);
else if (said.startsWith("r2 bucket list")) table(account.buckets);
else if (command === "r2") create("buckets", args[args.indexOf("--config") - 1]);
else if (said === "d1 list --json") console.log(JSON.stringify(account.databases));
else if (said.startsWith("d1 create ")) account.databases.push({ name: third, uuid: "id-of-" + third });
else if (said.startsWith("d1 execute ")) {
  const database = databaseOf(third);
  const query = args[args.indexOf("--command") + 1];
  let results = [];
  try {
    results = database.prepare(query).all();
  } catch (error) {
    refuse(error.message);
  }
  console.log(JSON.stringify([{ results, success: true }]));
} else if (said.startsWith("d1 migrations apply ")) {
  const database = databaseOf(args[3]);
  database.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
  const applied = database.prepare("SELECT name FROM d1_migrations").all().map(({ name }) => name);
  const files = readdirSync("migrations").filter((file) => file.endsWith(".sql") && !applied.includes(file)).toSorted();
  for (const file of files) {
    database.exec(readFileSync(join("migrations", file), "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(file);
  }
} else if (command === "secret") {
  if (account.secrets === null) refuse("This Worker does not exist on your account. [code: 10007]");
  console.log(JSON.stringify(Object.keys(account.secrets).map((name) => ({ name }))));
} else if (command === "deploy") {
  // Before its upload, wrangler looks for the queues of all producers and consumers.
  const named = [...(config.queues?.producers ?? []), ...(config.queues?.consumers ?? [])].map(({ queue }) => queue);
  const lost = named.find((name) => !account.queues.includes(name));
  if (lost) refuse('Queue "' + lost + '" does not exist. To create it, run: wrangler queues create ' + lost);
  account.secrets ??= {};
  if (secretsFile) {
    account.secretsMode = (statSync(secretsFile).mode & 0o777).toString(8);
    Object.assign(account.secrets, JSON.parse(readFileSync(secretsFile, "utf8")));
  }
  const secrets = Object.keys(account.secrets);
  appendFileSync(double(isPlaceholder ? "placeholders" : "deployed"), JSON.stringify({ ...config, secrets }) + "\\n");
  const targets = ["schedule: * * * * *", account.address];
  appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ type: "deploy", targets }) + "\\n");
}
if (isEdit) writeFileSync(double("account.json"), JSON.stringify(account));
if (isFault) refuse("The connection was lost.");
`;

export interface Answer {
  stdout?: string;
  stderr?: string;
  code?: number;
}

interface Account {
  answers: Record<string, Answer>;
  databases: { name: string; uuid: string; jurisdiction?: string | null }[];
  queues: string[];
  buckets: string[];
  /** Null where there is no Worker yet. */
  secrets: Record<string, string> | null;
  address: string;
  lacks: string[];
  isFree: boolean;
  fault: { call: string; when: "before" | "after" | "interrupted" } | null;
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

/** What an account has that was deployed to before, but for the Worker's secrets. */
const resources: Account = {
  answers: {},
  databases: [{ name: "petrel", uuid: "id-of-petrel" }],
  queues: allQueues,
  buckets: ["petrel"],
  secrets: {},
  address: "https://petrel.acme.workers.dev",
  lacks: [],
  isFree: false,
  fault: null,
};

/** An account in which nothing was ever made. */
export const cleanAccount = { databases: [], queues: [], buckets: [], secrets: null };
/** What petrel.toml says for a deploy to such an account. */
export const located = '[vars]\nDATA_LOCATION = "weur"\n';

/** The names of secrets that a Worker has. */
export function secretsNamed(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, "from earlier"]));
}

/** A checkout with that wrangler, and an account: with its resources, and without secrets, if nothing else is said. */
export function openCheckout(given: Partial<Account> = {}) {
  const home = mkdtempSync(join(tmpdir(), "petrel-deploy-test-"));
  homes.push(home);
  const checkout = join(home, "checkout");
  const double = join(home, "double");
  const temporary = join(home, "tmp");
  const bin = join(checkout, "node_modules", ".bin");
  for (const folder of [double, temporary, bin]) mkdirSync(folder, { recursive: true });
  // The scripts read the tables of objects from the source.
  const tables = ["src/platform/gate-tables.ts", "src/engine/workflows/shard/tables.ts"];
  for (const name of [
    "scripts",
    "migrations",
    "wrangler.toml",
    "petrel.example.toml",
    ".dev.vars.example",
    ...tables,
  ]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(checkout, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules", "@scalar"), join(checkout, "node_modules", "@scalar"));
  writeFileSync(join(checkout, "package-lock.json"), '{ "packages": {} }');
  writeFileSync(join(checkout, "node_modules", ".package-lock.json"), '{ "packages": {} }');
  symlinkSync(process.execPath, join(bin, "node"));
  writeFileSync(join(bin, "wrangler"), wrangler);
  const accountFile = join(double, "account.json");
  writeFileSync(accountFile, JSON.stringify({ ...resources, ...given }));
  const readAccount = (): Account & { secretsMode?: string } => JSON.parse(readFileSync(accountFile, "utf8"));

  if (given.databases?.length === 0) writeFileSync(join(checkout, "petrel.toml"), located);
  const lines = (name: string) => {
    const file = join(double, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  return {
    temporary,
    calls: () => lines("calls"),
    account: readAccount,
    /** What happens to the account outside of a deploy. */
    change(change: Partial<Account>) {
      rmSync(join(double, "failed"), { force: true });
      writeFileSync(accountFile, JSON.stringify({ ...readAccount(), ...change }));
    },
    secrets: (): Record<string, string> => readAccount().secrets ?? {},
    /** The file of a database in the account. */
    databaseFile(uuid: string) {
      mkdirSync(join(double, "d1"), { recursive: true });
      return join(double, "d1", uuid);
    },
    placeholders: () => lines("placeholders").map((line) => JSON.parse(line)),
    deployed: () => lines("deployed").map((line) => JSON.parse(line)),
    write: (name: string, text: string) => writeFileSync(join(checkout, name), text),
    read: (name: string) => readFileSync(join(checkout, name), "utf8"),
    has: (name: string) => existsSync(join(checkout, name)),
    written: () => readdirSync(double).toSorted(),
    /** Runs `npm run deploy`'s script, and gives what it says: to a terminal, if nothing else is said. */
    async deploy(args: string[] = [], environment: Record<string, string> = {}, { isTerminal = true } = {}) {
      const env = { ...process.env, DOUBLE: double, TMPDIR: temporary, NO_COLOR: "1", ...environment };
      const terminal = isTerminal ? ["--import", "data:text/javascript,process.stdout.isTTY=true"] : [];
      const script = [...terminal, join(checkout, "scripts", "deploy.mjs"), ...args];
      const { stdout, stderr, code } = await promisify(execFile)(process.execPath, script, { env }).then(
        (ended) => ({ ...ended, code: 0 }),
        (ended: { stdout: string; stderr: string; code: number }) => ended,
      );
      return { code, said: withoutProgress(stdout) + stderr };
    },
    /** Runs a line of JavaScript over a module of the scripts. */
    async ask(module: string, line: string): Promise<string> {
      const url = pathToFileURL(join(checkout, "scripts", "lib", module)).href;
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...["--input-type=module", "--eval"],
        `import * as module from ${JSON.stringify(url)}; ${line}`,
      ]);
      return stdout.trim();
    },
  };
}

/** What a terminal still shows in the end: a line of progress is written over by the next one. */
function withoutProgress(text: string): string {
  return text.replaceAll("\u001b[K", "").replaceAll(/[^\n]*\r/g, "");
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
