import { env, exports } from "cloudflare:workers";
import { knownProjects } from "../../src/engine/projects/cache";
import { asSeen, knowProject } from "./as-seen";
import { databaseOf, shardOfTest } from "./database";
import { copyProject, type Pattern, takePattern } from "./project-copy";

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back, and fail where it is not there
  body: any;
}

type Init = { headers?: Record<string, string>; method?: string };

/** Calls the Worker as a client would. A body that is neither a text nor bytes nor a form is sent as JSON. */
export async function call(method: string, path: string, body?: unknown, { headers = {} }: Init = {}): Promise<Answer> {
  const response = await exports.default.fetch(`https://petrel.example${path}`, {
    method,
    // A form names its boundary itself.
    headers: { ...(body === undefined || isForm(body) ? {} : { "Content-Type": "application/json" }), ...headers },
    body: body === undefined || isReady(body) ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.includes("json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

function isReady(body: unknown): body is string | FormData | Uint8Array<ArrayBuffer> {
  return typeof body === "string" || body instanceof Uint8Array || isForm(body);
}

function isForm(body: unknown): body is FormData {
  return body instanceof FormData;
}

export function bearer(token: string): Init {
  return { headers: { Authorization: `Bearer ${token}` } };
}

/** The operator's calls. */
export const admin = {
  get: (path: string) => call("GET", path, undefined, bearer(env.ADMIN_TOKEN ?? "")),
  post: (path: string, body: unknown) => call("POST", path, body, bearer(env.ADMIN_TOKEN ?? "")),
  patch: (path: string, body: unknown) => call("PATCH", path, body, bearer(env.ADMIN_TOKEN ?? "")),
  delete: (path: string) => call("DELETE", path, undefined, bearer(env.ADMIN_TOKEN ?? "")),
};

export interface TestProject {
  id: string;
  /** What rows call it. */
  number: number;
  /** The database that holds its rows, as customers know them: all but those of the control tables. */
  db: D1Database;
  keys: { secret: string; public: string };
  /** A verified domain of the project, its own. */
  domain: string;
  api: {
    get(path: string): Promise<Answer>;
    post(path: string, body?: unknown): Promise<Answer>;
    patch(path: string, body: unknown): Promise<Answer>;
    delete(path: string): Promise<Answer>;
    /** `POST /v1/send` with the given fields over a sound call. */
    send(fields?: Record<string, unknown>): Promise<Answer>;
  };
}

let counter = 0;

/** By settings. They outlive a file, because files share an isolate. */
const patterns = new Map<string, Pattern>();

/**
 * A fresh project with a verified domain: every test has its own, and so its own contacts and mail. Its mail goes out as it was
 * written, unless the test is about tracking. The first with given settings is made as customers make theirs; what tests get are
 * copies of its rows.
 */
export async function newProject(
  settings: Record<string, unknown> = {},
  shard: string = shardOfTest(),
): Promise<TestProject> {
  const name = JSON.stringify(settings);
  const pattern = patterns.get(name) ?? (await takePattern(await createProject(settings, shard), shard));
  patterns.set(name, pattern);
  const domain = `m${++counter}-${crypto.randomUUID().slice(-8)}.test`;
  return openProject({ ...(await copyProject(pattern, domain, shard)), shard, domain });
}

async function createProject(settings: Record<string, unknown>, shard: string): Promise<TestProject> {
  const created = await admin.post("/admin/projects", { name: "Test", tracking: "DISABLED", ...settings });
  const { project, keys } = created.body;
  // Nobody knows it yet, so that nobody remembers another.
  const number = await env.DB.prepare("UPDATE projects SET shard = ? WHERE id = ? RETURNING number")
    .bind(shard, project.id)
    .first<number>("number");
  if (number === null) throw new Error("The project was not created");
  const domain = `p${++counter}-${project.id.slice(-8)}.test`;
  const made = openProject({ id: project.id, number, shard, keys, domain });
  const added = await made.api.post("/domains", { domain });
  if (added.status !== 201) throw new Error(`The domain was not added: ${JSON.stringify(added.body)}`);
  return made;
}

/** What a test has of a project that is there. */
export function openProject({ id, number, shard, keys, domain }: Omit<TestProject, "db" | "api"> & { shard: string }) {
  knowProject(id, number);
  const secret = bearer(keys.secret);
  const sound = { to: "ada@example.com", from: `hello@${domain}`, subject: "Hello", body: "<p>Hello</p>" };
  const project: TestProject = {
    ...{ id, number, keys, domain },
    db: asSeen(databaseOf(shard), number),
    api: {
      get: (path) => call("GET", path, undefined, secret),
      post: (path, body) => call("POST", path, body, secret),
      patch: (path, body) => call("PATCH", path, body, secret),
      delete: (path) => call("DELETE", path, undefined, secret),
      send: (fields = {}) => call("POST", "/v1/send", { ...sound, ...fields }, secret),
    },
  };
  return project;
}

/** As an operator does in another isolate: here it is known once a project is disabled, and not when it is enabled again. */
export async function setDisabled({ number }: TestProject, isDisabled: boolean): Promise<void> {
  if (isDisabled) knownProjects.clear();
  await env.DB.prepare("UPDATE projects SET disabled = ? WHERE number = ?").bind(Number(isDisabled), number).run();
}
