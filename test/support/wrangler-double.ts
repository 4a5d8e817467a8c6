import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve as resolvePath } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface Answer {
  stdout?: string;
  stderr?: string;
  code?: number;
}

/** An account of Cloudflare, as `account.json` has it. */
export interface Account {
  /** What it says to a command instead. */
  answers: Record<string, Answer>;
  databases: { name: string; uuid: string; jurisdiction?: string | null }[];
  queues: string[];
  buckets: string[];
  /** Null where there is no Worker yet. */
  secrets: Record<string, string> | null;
  secretsMode?: string;
  address: string;
  /** The permissions that the token does not have. */
  lacks: string[];
  isFree: boolean;
  /** A call that fails, before or after its effect, or during which the deploy is interrupted. */
  fault: { call: string; when: "before" | "after" | "interrupted" } | null;
}

/**
 * Stands where a checkout has Node. It asks the double in the test's own process in place of wrangler, because a deploy calls
 * wrangler some twenty times, and a process of Node for each takes ten times as long. It starts no process of its own, curl
 * neither. Everything else runs on Node.
 */
export const WRANGLER = `#!/bin/bash
case "$1" in */wrangler) shift ;; *) exec "$REAL_NODE" "$@" ;; esac
unanswered='echo "no double" >&2; exit 99'
exec 3<>"/dev/tcp/127.0.0.1/$DOUBLE_PORT" || eval "$unanswered"
printf '%s\\0' "$#" "$@" "$DOUBLE" "$PWD" "$WRANGLER_OUTPUT_FILE_PATH" "$PPID" >&3
IFS= read -r -d '' reply <&3
eval "\${reply:-$unanswered}"
`;

let port: Promise<number> | null = null;

/** Opens the double's door, once in a process. */
export function listenForWrangler(): Promise<number> {
  port ??= new Promise((resolve, reject) => {
    const quoted = (said: string) => `'${said.replaceAll("'", "'\\''")}'`;
    const replyTo = (call: Call) => {
      try {
        const { stdout = "", stderr = "", code = 0 } = answer(call);
        return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; exit ${code}`;
      } catch (error) {
        const reason = error instanceof Error ? error.stack : error;
        return `printf %s ${quoted(`The double failed: ${reason}`)} >&2; exit 99`;
      }
    };
    const server = createServer((socket) => {
      let asked = "";
      socket.setEncoding("utf8").on("data", (chunk) => {
        asked += chunk;
        const call = callOf(asked);
        if (call) socket.end(replyTo(call));
      });
      // A deploy that is interrupted ends its tools.
      socket.on("error", () => socket.destroy());
    });
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address();
      if (bound === null || typeof bound === "string") throw new Error("No port");
      resolve(bound.port);
    });
    // The test's process ends without closing it.
    server.unref();
  });
  return port;
}

interface Call {
  args: string[];
  /** The folder with the account. */
  double: string;
  /** The checkout. */
  folder: string;
  /** Where wrangler reports for programs. */
  report: string;
  /** The process of the deploy. */
  parent: number;
}

/** Null until all of it has come: the number of arguments, they, and four texts, each with a NUL behind it. */
function callOf(asked: string): Call | null {
  const [count, ...texts] = asked.split("\0").slice(0, -1);
  const args = texts.splice(0, Number(count));
  const [double, folder, report, parent] = texts;
  if (double === undefined || folder === undefined || report === undefined || parent === undefined) return null;
  return { args, double, folder, report, parent: Number(parent) };
}

/** What ends a call with an error. */
class Refusal extends Error {}

function refuse(said: string): never {
  throw new Refusal(said);
}

interface Config {
  main?: string;
  routes?: unknown;
  limits?: unknown;
  queues?: { producers?: { queue: string }[]; consumers?: { queue: string }[] };
  d1_databases: { binding: string; database_name: string; database_id?: string }[];
}

const areas: Record<string, string> = {
  queues: "Queues",
  r2: "Workers R2 Storage",
  d1: "D1",
  secret: "Workers Scripts",
  deploy: "Workers Scripts",
  whoami: "User Details",
};
const paths: Record<string, string> = {
  Queues: "/accounts/acme/queues",
  "Workers R2 Storage": "/accounts/acme/r2/buckets",
  D1: "/accounts/acme/d1/database",
  "Workers Scripts": "/accounts/acme/workers/scripts/petrel",
  "User Details": "/user",
  "Workers Routes": "/zones/zone/workers/routes",
};

/**
 * Answers as wrangler does, out of `account.json`, which is the account: what is created is there for the next call, and
 * each database is one of SQLite. It keeps how it was called, and the configurations that it deployed.
 */
function answer(call: Call): Answer {
  const file = join(call.double, "account.json");
  const account: Account = JSON.parse(readFileSync(file, "utf8"));
  const end = call.args.indexOf("--config");
  const config: Config = JSON.parse(readFileSync(resolvePath(call.folder, call.args[end + 1] ?? ""), "utf8"));
  const isPlaceholder = config.main === "index.js";
  const secretsFile = call.args.includes("--secrets-file") ? call.args[call.args.indexOf("--secrets-file") + 1] : null;
  const said = call.args
    .slice(0, end)
    .map((arg) => (arg === secretsFile ? "FILE" : arg))
    .concat(isPlaceholder ? ["a placeholder"] : [])
    .join(" ");
  appendFileSync(join(call.double, "calls"), `${said}\n`);
  const isEdit = call.args[0] === "deploy" || /create|apply/.test(said);
  try {
    requirePermissions(account, config, { command: call.args[0] ?? "", isEdit });
    const known = account.answers[said];
    if (known) return { ...known, stdout: lines(known.stdout ?? ""), stderr: lines(known.stderr ?? "") };
    const isFault = account.fault?.call === said && !existsSync(join(call.double, "failed"));
    if (isFault) {
      // A file of its own: a test may change the account meanwhile.
      writeFileSync(join(call.double, "failed"), said);
      if (account.fault?.when === "before") refuse("fetch failed");
      if (account.fault?.when === "interrupted") process.kill(call.parent, "SIGTERM");
    }
    const stdout = carryOut(account, config, { ...call, said, isPlaceholder, secretsFile: secretsFile ?? null });
    if (isEdit) writeFileSync(file, JSON.stringify(account));
    if (isFault) refuse("The connection was lost.");
    return { stdout };
  } catch (error) {
    if (error instanceof Refusal) return { stderr: lines(`✘ [ERROR] ${error.message}`), code: 1 };
    throw error;
  }
}

function requirePermissions(account: Account, config: Config, call: { command: string; isEdit: boolean }): void {
  const needs = (permission: string) => {
    if (!account.lacks.includes(permission) && !(call.isEdit && account.lacks.includes(`${permission}: Edit`))) return;
    refuse(`A request to the Cloudflare API (${paths[permission]}) failed.\n\n  Authentication error [code: 10000]`);
  };
  const area = areas[call.command];
  if (area !== undefined) needs(area);
  if (call.command !== "deploy") return;
  if (config.routes) needs("Workers Routes");
  if (config.queues) needs("Queues");
  if (account.isFree && config.limits) {
    const reason = "CPU limits are not supported for the Free plan. [code: 100328]";
    refuse(`A request to the Cloudflare API (${paths["Workers Scripts"]}) failed.\n\n  ${reason}`);
  }
}

interface Understood extends Call {
  /** The command as tests name it. */
  said: string;
  isPlaceholder: boolean;
  secretsFile: string | null;
}

/** Changes the account, and returns what wrangler prints. */
function carryOut(account: Account, config: Config, call: Understood): string {
  const { args, said } = call;
  const [command, , third = ""] = args;
  if (command === "auth") return json({ type: "oauth", token: "the-token" });
  if (command === "whoami") return json({ loggedIn: true, accounts: [{ id: "acme", name: "Acme" }] });
  if (said === "queues list") return table(account.queues);
  if (command === "queues") return create(account.queues, third);
  if (said.startsWith("r2 bucket list")) return table(account.buckets);
  if (command === "r2") return create(account.buckets, args[args.indexOf("--config") - 1] ?? "");
  if (said === "d1 list --json") return json(account.databases);
  if (said.startsWith("d1 create ")) {
    account.databases.push({ name: third, uuid: `id-of-${third}` });
    return "";
  }
  if (said.startsWith("d1 execute ")) return execute(account, config, call);
  if (said.startsWith("d1 time-travel info ")) return json({ bookmark: `bookmark-of-${args[3]}` });
  if (said.startsWith("d1 migrations apply ")) return applyMigrations(account, config, call);
  if (command === "secret") {
    if (account.secrets === null) return refuse("This Worker does not exist on your account. [code: 10007]");
    return json(Object.keys(account.secrets).map((name) => ({ name })));
  }
  return command === "deploy" ? upload(account, config, call) : "";
}

function execute(account: Account, config: Config, call: Understood): string {
  const database = databaseOf(account, config, { ...call, name: call.args[2] ?? "" });
  try {
    const results = database.prepare(call.args[call.args.indexOf("--command") + 1] ?? "").all();
    return json([{ results, success: true }]);
  } catch (error) {
    return refuse((error as Error).message);
  } finally {
    database.close();
  }
}

function applyMigrations(account: Account, config: Config, call: Understood): string {
  const database = databaseOf(account, config, { ...call, name: call.args[3] ?? "" });
  database.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
  const applied = database
    .prepare("SELECT name FROM d1_migrations")
    .all()
    .map(({ name }) => name);
  const folder = join(call.folder, "migrations");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql") && !applied.includes(file));
  for (const file of files.toSorted()) {
    database.exec(readFileSync(join(folder, file), "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(file);
  }
  database.close();
  return "";
}

function databaseOf(
  account: Account,
  config: Config,
  { double, name }: { double: string; name: string },
): DatabaseSync {
  const bound = config.d1_databases.find(({ binding, database_name }) => binding === name || database_name === name);
  const found = account.databases.find((one) =>
    bound?.database_id ? one.uuid === bound.database_id : one.name === bound?.database_name,
  );
  if (!found) return refuse(`Couldn't find a D1 DB named '${name}'`);
  mkdirSync(join(double, "d1"), { recursive: true });
  return new DatabaseSync(join(double, "d1", found.uuid));
}

function upload(account: Account, config: Config, call: Understood): string {
  // Before its upload, wrangler looks for the queues of all producers and consumers.
  const named = [...(config.queues?.producers ?? []), ...(config.queues?.consumers ?? [])].map(({ queue }) => queue);
  const lost = named.find((name) => !account.queues.includes(name));
  if (lost) refuse(`Queue "${lost}" does not exist. To create it, run: wrangler queues create ${lost}`);
  account.secrets ??= {};
  if (call.secretsFile) {
    account.secretsMode = (statSync(call.secretsFile).mode & 0o777).toString(8);
    Object.assign(account.secrets, JSON.parse(readFileSync(call.secretsFile, "utf8")));
  }
  const secrets = Object.keys(account.secrets);
  const list = join(call.double, call.isPlaceholder ? "placeholders" : "deployed");
  appendFileSync(list, `${JSON.stringify({ ...config, secrets })}\n`);
  const targets = ["schedule: * * * * *", account.address];
  appendFileSync(call.report, `${JSON.stringify({ type: "deploy", targets })}\n`);
  return "";
}

function create(list: string[], name: string): string {
  if (list.includes(name)) refuse(`${name} already exists`);
  list.push(name);
  return "";
}

function table(names: string[]): string {
  return lines(names.map((name) => `│ ${name} │ 2026-01-31 │`).join("\n"));
}

function json(value: unknown): string {
  return lines(JSON.stringify(value));
}

/** Text as `console.log` prints it. */
function lines(said: string): string {
  return `${said}\n`;
}
