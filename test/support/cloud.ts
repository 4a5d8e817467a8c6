import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app";
import { databaseOf, shards } from "./database";
import type { DatabaseFault } from "./database-fault";
import { killableDatabase, Process, type Way } from "./killable";
import type { Answer } from "./project";

/** The bindings of the Worker, with a way of its own to each database. */
export function envBehind(way: Way): typeof env {
  const databases = shards.map((shard) => [shard, killableDatabase(databaseOf(shard), new Process(), way)]);
  return { ...env, ...Object.fromEntries(databases) };
}

interface Call {
  key: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** What happens to the round trips to the databases. */
  fault: DatabaseFault;
}

/** Calls the Worker while its database has a fault. */
export async function callAtFault(method: string, path: string, { key, body, headers, fault }: Call): Promise<Answer> {
  const execution = createExecutionContext();
  const request = new Request(`https://petrel.example${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const bindings = envBehind((trip, make) => fault.meet(trip, make));
  const response = await app.fetch(request, bindings, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}
