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
import { type Account, listenForWrangler, WRANGLER } from "./wrangler-double";

const root = fileURLToPath(new URL("../..", import.meta.url).href);
export const keys = { secret: `sk_${"a".repeat(64)}`, public: `pk_${"b".repeat(64)}` };

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
  writeFileSync(join(bin, "node"), WRANGLER, { mode: 0o755 });
  writeFileSync(join(bin, "wrangler"), "");
  const accountFile = join(double, "account.json");
  writeFileSync(accountFile, JSON.stringify({ ...resources, ...given }));
  const readAccount = (): Account => JSON.parse(readFileSync(accountFile, "utf8"));

  if (given.databases?.length === 0) writeFileSync(join(checkout, "petrel.toml"), located);
  const lines = (name: string) => {
    const file = join(double, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  /** Runs a script as npm does. */
  async function run(
    name: string,
    args: string[] = [],
    environment: Record<string, string> = {},
    { isTerminal = true } = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const env = { ...process.env, NO_COLOR: "1", ...environment };
    const terminal = isTerminal ? ["--import", "data:text/javascript,process.stdout.isTTY=true"] : [];
    const script = [...terminal, join(checkout, "scripts", `${name}.mjs`), ...args];
    const { stdout, stderr, code } = await promisify(execFile)(process.execPath, script, { env }).then(
      (ended) => ({ ...ended, code: 0 }),
      (ended: { stdout: string; stderr: string; code: number }) => ended,
    );
    return { code, out: stdout, err: stderr };
  }

  return {
    temporary,
    run,
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
      const port = await listenForWrangler();
      const own = { DOUBLE: double, DOUBLE_PORT: String(port), REAL_NODE: process.execPath, TMPDIR: temporary };
      const { code, out, err } = await run("deploy", args, { ...own, ...environment }, { isTerminal });
      return { code, said: withoutProgress(out) + err };
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

type StubAnswer = [number, unknown];

export const healthy = {
  status: "ok",
  version: "1.0.0",
  checkedAt: "2026-01-31T09:00:00.000Z",
  checks: [{ name: "crons", status: "ok", summary: "Each schedule runs.", detail: "minute: 20 s ago", mend: null }],
};

/**
 * The Worker as far as scripts call it. With `opensLate` its door is shut for a call, as when a secret was just set.
 * `others` are further answers, by the call.
 */
export async function startStubWorker({
  projects = 0,
  opensLate = false,
  others = {},
}: {
  projects?: number;
  opensLate?: boolean;
  others?: Record<string, StubAnswer | (() => StubAnswer)>;
} = {}) {
  const calls: { call: string; key: string; body: string }[] = [];
  let isOpen = !opensLate;
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    calls.push({ call, key: request.headers.authorization ?? "", body: await textOf(request) });
    const answers: typeof others = {
      "GET /health": [200, { status: "ok" }],
      "GET /admin/projects?limit=1": isOpen ? [200, { data: Array(projects).fill({ id: "1" }) }] : [404, {}],
      "GET /admin/people?limit=1": [200, { data: [] }],
      "POST /admin/people/link": [201, { url: "https://mail.example/console/session/link/the-link" }],
      "POST /admin/projects": [201, { project: { id: "1" }, keys }],
      "POST /domains": [201, { id: "2", verified: true }],
      "GET /admin/health": [200, healthy],
      ...others,
    };
    if (call.includes("/admin")) isOpen = true;
    const answer = answers[call] ?? [500, {}];
    const [status, body] = typeof answer === "function" ? answer() : answer;
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
