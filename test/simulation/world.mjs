import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readWranglerToml } from "../../scripts/lib/wrangler-toml.mjs";
import { Outside } from "./outside/outside.mjs";
import { Bucket } from "./parts/bucket.mjs";
import { databaseMaker } from "./parts/database.mjs";
import { Faults } from "./parts/faults.mjs";
import { installGlobals } from "./parts/globals.mjs";
import { Isolates } from "./parts/isolates.mjs";
import { Limits } from "./parts/limits.mjs";
import { Namespace } from "./parts/objects.mjs";
import { openBoundary } from "./parts/processes.mjs";
import { Queues } from "./parts/queues.mjs";
import { randomStream } from "./parts/random.mjs";
import { Time } from "./parts/time.mjs";
import { operatorToken, settings } from "./settings.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const toml = readWranglerToml();
const firstDay = Date.UTC(2026, 0, 5, 9);
const minuteMs = 60_000;

const migrations = readdirSync(join(root, "migrations"))
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => readFileSync(join(root, "migrations", name), "utf8"));
const openDatabase = databaseMaker(migrations);

/** How many isolates a Worker runs in at once. */
const isolateCount = 2;

/**
 * The whole product in one process under a seed: its Worker with doors, queues, cron, objects, databases and storage, and the
 * world outside. Only one world may be at work at a time, because time and chance are those of the process.
 */
export class World {
  /**
   * `openModules` opens the modules of the Worker for an isolate, and `rates` says how faulty the world is. `planted` names a fault of the world
   * itself, by which a test sees that the invariants find one.
   */
  constructor(seed, openModules, { rates = {}, planted } = {}) {
    this.time = new Time(firstDay);
    this.order = randomStream(seed, "order");
    this.faults = new Faults(randomStream(seed, "faults"), rates);
    this.limits = new Limits();
    const { time, faults, order, limits } = this;
    const boundary = openBoundary(faults);
    installGlobals(time, randomStream(seed, "chance"), boundary);
    const trip = () => time.wait(1 + order() * 9);
    const surroundings = { trip, limits, faults, time, boundary, random: order };
    this.databases = { DB: openDatabase("DB", surroundings), DB_01: openDatabase("DB_01", surroundings) };
    const report = (body, headers) => this.ask("POST", "/hooks/resend", { text: body, headers });
    const timeAt = (host) => this.timeOf({ name: host.split(".")[1] });
    this.outside = new Outside({ ...surroundings, random: randomStream(seed, "outside"), planted, report, timeAt });
    globalThis.fetch = (input, init) => this.outside.fetch(input, init);
    this.isolates = new Isolates(isolateCount, { openModules, random: order, faults, time });
    this.queues = new Queues({
      ...surroundings,
      consumers: toml.queues.consumers,
      consume: (batch) => this.#consume(batch),
    });
    this.files = new Bucket(surroundings);
    const objects = (name) => new Namespace(() => this.#opener(name), surroundings);
    this.objects = Object.fromEntries(
      toml.durable_objects.bindings.map(({ name, class_name }) => [name, objects(class_name)]),
    );
    this.env = {
      ...toml.vars,
      ...settings,
      ...this.databases,
      ...this.objects,
      ...Object.fromEntries(toml.queues.producers.map(({ binding, queue }) => [binding, this.queues.producer(queue)])),
      BLOBS: this.files,
      ASSETS: { fetch: async (url) => asset(url) },
      FLOOD_BRAKE: { limit: async () => ({ success: true }) },
    };
  }

  #opener(className) {
    const { process, worker } = this.isolates.one();
    return { isolate: process, make: (ctx) => new worker[className](ctx, this.env) };
  }

  #consume(batch) {
    const { process, worker } = this.isolates.one();
    return process.serve(() => worker.default.queue(batch, this.env, execution()));
  }

  /** Calls the API, and lets time pass until the answer. */
  call(method, path, options) {
    return this.time.until(this.ask(method, path, options));
  }

  /**
   * Calls the API beside everything else that happens. Status 0 means that no answer came. `text` is sent as it is.
   */
  async ask(method, path, { key, body, text, form, headers = {} } = {}) {
    const sent = form && (await this.time.hold(() => multipartOf(form)));
    const content = sent?.bytes ?? text ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = new Request(`https://mail.acme.test${path}`, {
      method,
      headers: {
        "Content-Type": sent?.type ?? "application/json",
        ...(key ? { Authorization: `Bearer ${key}` } : {}),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
    const { process, worker } = this.isolates.one();
    const begun = this.time.now;
    try {
      const response = await process.serve(async () => {
        const answer = await worker.default.fetch(request, this.env, execution());
        return { status: answer.status, text: await answer.text() };
      });
      const answer = parsed(response.text);
      const told = { begun, at: this.time.now, isolate: process };
      return { status: response.status, body: answer?.data ?? answer, text: response.text, ...told };
    } catch {
      return { status: 0, body: null, text: "", begun, at: this.time.now, isolate: process };
    }
  }

  /** Lets minutes pass, with the ticks of cron that are due at the beginning of each. */
  async pass(minutes) {
    for (let passed = 0; passed < minutes; passed++) {
      const minute = Math.round((this.time.now - firstDay) / minuteMs);
      for (const cron of toml.triggers.crons) if (isDue(cron, minute)) this.#tick(cron);
      await this.time.pass(minuteMs);
    }
  }

  #tick(cron) {
    const { process, worker } = this.isolates.one();
    const controller = { cron, scheduledTime: this.time.now, noRetry: () => {} };
    process.serve(() => worker.default.scheduled(controller, this.env, execution())).catch(() => {});
  }

  /** Makes a project with a verified domain. `more`: further fields of it. */
  async newProject(name, more = {}) {
    const { body } = await this.call("POST", "/admin/projects", { key: operatorToken, body: { name, ...more } });
    const { project, keys } = body;
    const domain = `${name}.test`;
    const added = await this.call("POST", "/domains", { key: keys.secret, body: { domain } });
    this.outside.publish(added.body.records);
    const verified = await this.call("GET", `/domains/${added.body.id}/verify`, { key: keys.secret });
    if (verified.body.status !== "VERIFIED") throw new Error(`${domain} was not verified: ${JSON.stringify(verified)}`);
    return { id: project.id, name, keys, domain };
  }

  /** The time of a tenant's project: the world's, or that of its test clock. */
  timeOf({ name }) {
    const sql = "SELECT coalesce(clock_at, created_at) AS at FROM projects WHERE name = ? AND test_clock";
    return this.databases.DB.peek(sql, name)[0]?.at ?? this.time.now;
  }

  /** The name of the database where a tenant's project lives. */
  homeOf({ name }) {
    return this.databases.DB.peek("SELECT shard FROM projects WHERE name = ?", name)[0]?.shard;
  }

  /** The number of a tenant's project; undefined when it is deleted. */
  numberOf({ name }) {
    return this.databases.DB.peek("SELECT number FROM projects WHERE name = ?", name)[0]?.number;
  }

  /**
   * Rows of all databases. Those of a project that has moved are in its old database for an hour more, and are left out, as
   * long as they say of which project they are.
   */
  rows(sql, ...parameters) {
    const homes = new Map(
      this.databases.DB.peek("SELECT number, shard FROM projects").map((row) => [row.number, row.shard]),
    );
    return Object.entries(this.databases).flatMap(([name, database]) =>
      database.peek(sql, ...parameters).filter(({ project_id: project }) => (homes.get(project) ?? name) === name),
    );
  }

  /** Rows of a project, from its own database. `sql` has its number as the only parameter. */
  rowsOf(number, sql) {
    const [home] = this.databases.DB.peek("SELECT shard FROM projects WHERE number = ?", number ?? null);
    return home === undefined ? [] : this.databases[home.shard].peek(sql, number);
  }
}

/** The body of a form: a request that has the form itself would read it at a time of its own. */
async function multipartOf(form) {
  const body = new Response(form);
  return { bytes: await body.arrayBuffer(), type: body.headers.get("Content-Type") };
}

function execution() {
  return { waitUntil: (work) => void Promise.resolve(work).catch(() => {}), passThroughOnException: () => {} };
}

/** Whether a schedule is due: a minute, and in some cases an hour, or every few minutes. */
function isDue(cron, minute) {
  const [ofHour, hour] = cron.split(" ");
  if (ofHour === "*") return true;
  if (ofHour.startsWith("*/")) return minute % Number(ofHour.slice(2)) === 0;
  return minute % 60 === Number(ofHour) && (hour === "*" || Math.floor(minute / 60) % 24 === Number(hour));
}

function parsed(text) {
  try {
    return JSON.parse(text || "null");
  } catch {
    return text;
  }
}

const assets = new Map();

function asset(url) {
  const file = join(root, ".assets", new URL(url).pathname);
  const content = assets.get(file) ?? (existsSync(file) ? readFileSync(file) : null);
  assets.set(file, content);
  return content === null ? new Response(null, { status: 404 }) : new Response(content);
}
