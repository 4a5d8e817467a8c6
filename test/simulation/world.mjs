import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readWranglerToml } from "../../scripts/lib/wrangler-toml.mjs";
import { Outside } from "./outside.mjs";
import { Bucket } from "./parts/bucket.mjs";
import { databaseMaker } from "./parts/database.mjs";
import { Faults } from "./parts/faults.mjs";
import { installGlobals } from "./parts/globals.mjs";
import { installModules } from "./parts/modules.mjs";
import { Namespace } from "./parts/objects.mjs";
import { Queues } from "./parts/queues.mjs";
import { randomStream } from "./parts/random.mjs";
import { Time } from "./parts/time.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { vars, queues } = readWranglerToml();
const settings = {
  ...vars,
  ...{ ENVIRONMENT: "production", PUBLIC_URL: "https://mail.acme.test" },
  ...{ MAIL_PROVIDER: "resend", RESEND_API_KEY: "re_key" },
  ADMIN_TOKEN: "operator-token-of-at-least-32-characters",
  LINK_SECRETS: "secret-that-signs-links-of-32-characters",
  WEBHOOK_SECRETS: "secret-that-seals-webhooks-of-32-characters",
};
const firstDay = Date.UTC(2026, 0, 5, 9);
const dayMs = 86_400_000;
const minuteMs = 60_000;

const migrations = readdirSync(join(root, "migrations"))
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => readFileSync(join(root, "migrations", name), "utf8"));
const openDatabase = databaseMaker(migrations);
installModules();

let isolates = 0;

/** Loads the Worker as a deploy bundles it, into an isolate of its own: with modules that remember nothing. */
export function loadWorker(bundle) {
  isolates += 1;
  return import(`${pathToFileURL(bundle).href}?isolate=${isolates}`);
}

/**
 * The whole product in one process under a seed: its Worker with doors, queues, cron, objects, databases and storage, and the
 * world outside. Only one world may be at work at a time, because time and chance are those of the process.
 */
export class World {
  /** `planted` names a fault of the world itself, by which a test sees that the invariants find one. */
  constructor(seed, worker, { planted } = {}) {
    this.worker = worker;
    // Worlds share the modules of the Worker. A day between them ends everything that these remember.
    this.time = new Time(firstDay + seed * dayMs);
    const order = randomStream(seed, "order");
    this.faults = new Faults(randomStream(seed, "faults"));
    installGlobals(this.time, randomStream(seed, "chance"));
    const trip = () => this.time.wait(1 + order() * 9);
    const surroundings = { trip, faults: this.faults, time: this.time };
    this.databases = { DB: openDatabase(surroundings), DB_01: openDatabase(surroundings) };
    this.outside = new Outside({ ...surroundings, planted });
    globalThis.fetch = (input, init) => this.outside.fetch(input, init);
    const consume = (batch) => worker.default.queue(batch, this.env, execution());
    this.queues = new Queues({ ...surroundings, random: order, consume, maxRetries: 5 });
    const objects = (name) => new Namespace((ctx) => new worker[name](ctx, this.env), surroundings);
    this.env = {
      ...settings,
      ...this.databases,
      ...Object.fromEntries(queues.producers.map(({ binding, queue }) => [binding, this.queues.producer(queue)])),
      ...{ PACE: objects("PaceObject"), GATE: objects("ProjectGateObject") },
      ...{ WORKFLOWS: objects("WorkflowShardObject"), SWEEPS: objects("SweepObject") },
      BLOBS: new Bucket(surroundings),
      ASSETS: { fetch: async (url) => asset(url) },
      FLOOD_BRAKE: { limit: async () => ({ success: true }) },
    };
  }

  /** Calls the API, and lets time pass until the answer. */
  call(method, path, options) {
    return this.time.until(this.ask(method, path, options));
  }

  /** Calls the API beside everything else that happens. */
  async ask(method, path, { key, body, headers = {} } = {}) {
    const request = new Request(`https://mail.acme.test${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await this.worker.default.fetch(request, this.env, execution());
    const answer = JSON.parse((await response.text()) || "null");
    return { status: response.status, body: answer?.data ?? answer };
  }

  /** Lets minutes pass, with a tick of cron at the beginning of each. */
  async pass(minutes) {
    for (let passed = 0; passed < minutes; passed++) {
      const tick = { cron: "* * * * *", scheduledTime: this.time.now, noRetry: () => {} };
      this.worker.default.scheduled(tick, this.env, execution()).catch(() => {});
      await this.time.pass(minuteMs);
    }
  }

  /** Makes a project with a verified domain. */
  async newProject(name) {
    const { body } = await this.call("POST", "/admin/projects", { key: settings.ADMIN_TOKEN, body: { name } });
    const { project, keys } = body;
    const domain = `${name}.test`;
    const added = await this.call("POST", "/domains", { key: keys.secret, body: { domain } });
    this.outside.publish(added.body.records);
    const verified = await this.call("GET", `/domains/${added.body.id}/verify`, { key: keys.secret });
    if (verified.body.status !== "VERIFIED") throw new Error(`${domain} was not verified: ${JSON.stringify(verified)}`);
    return { id: project.id, name, keys, domain };
  }

  /** Rows of all databases. */
  rows(sql, ...parameters) {
    return Object.values(this.databases).flatMap((database) => database.peek(sql, ...parameters));
  }
}

function execution() {
  return { waitUntil: (work) => void Promise.resolve(work).catch(() => {}), passThroughOnException: () => {} };
}

function asset(url) {
  const file = join(root, ".assets", new URL(url).pathname);
  return existsSync(file) ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
}
