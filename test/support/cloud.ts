import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app";
import { databaseOf, shards } from "./database";
import type { DatabaseFault } from "./database-fault";
import { killableDatabase, Process, type Way } from "./killable";
import type { Answer } from "./project";

/** Takes every message and brings it to nobody, so that a test sees what the call itself does. */
const silentQueue = { send: async () => {}, sendBatch: async () => {} };

/** The bindings of the Worker, with a way of its own to each database, and with queues that bring nothing. */
export function envBehind(way: Way): typeof env {
  const databases = shards.map((shard) => [shard, killableDatabase(databaseOf(shard), new Process(), way)]);
  const queues = Object.keys(env).filter((name) => name.endsWith("_QUEUE"));
  return {
    ...env,
    ...Object.fromEntries(databases),
    ...Object.fromEntries(queues.map((name) => [name, silentQueue])),
  };
}

interface Call {
  /** Null for a link, which carries its own right. */
  key: string | null;
  /** What is no string and no form is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** What happens to the round trips to the databases. */
  fault: DatabaseFault;
}

/** Calls the Worker while its database has a fault. */
export async function callAtFault(method: string, path: string, { key, body, headers, fault }: Call): Promise<Answer> {
  const execution = createExecutionContext();
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const isJson = body !== undefined && !isForm && typeof body !== "string";
  const request = new Request(`https://petrel.example${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(isJson ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    body: isForm || typeof body === "string" ? body : JSON.stringify(body),
  });
  const bindings = envBehind((trip, make) => fault.meet(trip, make));
  const response = await app.fetch(request, bindings, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  const answersJson = response.headers.get("Content-Type")?.includes("json");
  return { status: response.status, headers: response.headers, body: answersJson ? JSON.parse(text) : text };
}
