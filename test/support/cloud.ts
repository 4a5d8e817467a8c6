import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { answerRequest } from "../../src/app";
import type { Env } from "../../src/platform/env";
import type { ProjectGateObject } from "../../src/platform/project-gate-object";
import { databaseOf, shards } from "./database";
import type { DatabaseFault } from "./database-fault";
import { killableDatabase, Process, type Way } from "./killable";
import type { Answer } from "./project";

/** Takes every message and brings it to nobody, so that a test sees what the call itself does. */
const silentQueue = { send: async () => {}, sendBatch: async () => {} };

/** The bindings of the Worker, with a way of its own to each database, and with queues that bring nothing. */
export function envBehind(way: Way): typeof env {
  const queues = Object.keys(env).filter((name) => name.endsWith("_QUEUE"));
  return {
    ...env,
    ...databasesBehind(way),
    ...Object.fromEntries(queues.map((name) => [name, silentQueue])),
  };
}

interface Call {
  /** Null for a link, which carries its own right. */
  key: string | null;
  /** What is no string and no form is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls the Worker while its database has a fault, or its bucket. */
export async function callAtFault(
  method: string,
  path: string,
  { fault, bucket = env.BLOBS, ...call }: Call & { fault: Pick<DatabaseFault, "meet">; bucket?: R2Bucket },
): Promise<Answer> {
  const execution = createExecutionContext();
  const bindings = { ...envBehind((trip, make) => fault.meet(trip, make)), BLOBS: bucket };
  const response = await answerRequest(requestOf(method, path, call), bindings, execution);
  const answer = await answerOf(response);
  await waitOnExecutionContext(execution);
  return answer;
}

/** The round trips for which an answer waits, one after the other: "D1", "gate admit"; "D1 and R2" are made at the same time. */
export interface Waited extends Answer {
  trips: string[];
}

/**
 * Calls the Worker and lists the round trips for which the answer waits. Queues and the end of a key take longer than the
 * answer: a request that waits for one of them never answers. With `dies`, the isolate is gone once it has answered.
 */
export async function callFromAfar(
  method: string,
  path: string,
  { dies = false, settings = {}, ...call }: Call & { dies?: boolean; settings?: Partial<Env> },
): Promise<Waited> {
  const trips: string[] = [];
  let [moment, lastEnded] = [0, 0];
  const answered = Promise.withResolvers<void>();
  const noted = async <T>(name: string, make: () => Promise<T>): Promise<T> => {
    const begun = ++moment;
    const result = await make();
    if (begun < lastEnded) trips.push(`${trips.pop()} and ${name}`);
    else trips.push(name);
    lastEnded = ++moment;
    return result;
  };
  const late = async <T>(make: () => Promise<T>): Promise<T> => {
    await answered.promise;
    return make();
  };
  const execution = createExecutionContext();
  // Doubles with the methods that requests call.
  const bindings = {
    ...env,
    ...databasesBehind((_trip, make) => noted("D1", make)),
    ...queuesBehind(late),
    GATE: gateBehind(noted, late),
    BLOBS: bucketBehind(noted),
    ...settings,
  } as unknown as Env;
  const answer = await answerOf(await answerRequest(requestOf(method, path, call), bindings, execution));
  const waited = { ...answer, trips: [...trips] };
  if (!dies) {
    answered.resolve();
    await waitOnExecutionContext(execution);
  }
  return waited;
}

function requestOf(method: string, path: string, { key, body, headers }: Call): Request {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const isJson = body !== undefined && !isForm && typeof body !== "string";
  return new Request(`https://petrel.example${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(isJson ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    body: isForm || typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const answersJson = response.headers.get("Content-Type")?.includes("json");
  return { status: response.status, headers: response.headers, body: answersJson ? JSON.parse(text) : text };
}

function databasesBehind(way: Way): Record<string, D1Database> {
  return Object.fromEntries(shards.map((shard) => [shard, killableDatabase(databaseOf(shard), new Process(), way)]));
}

type Late = <T>(make: () => Promise<T>) => Promise<T>;
type Noted = <T>(name: string, make: () => Promise<T>) => Promise<T>;

function queuesBehind(late: Late) {
  const names = ["MAIL_QUEUE", "CAMPAIGN_MAIL_QUEUE", "EVENTS_QUEUE", "OUTBOUND_QUEUE", "JOBS_QUEUE"] as const;
  return Object.fromEntries(
    names.map((name) => [
      name,
      { sendBatch: (messages: MessageSendRequest[]) => late(() => env[name].sendBatch(messages)) },
    ]),
  );
}

/** The methods of a gate that a request calls. */
function gateBehind(noted: Noted, late: Late) {
  const objects = env.GATE as unknown as DurableObjectNamespace<ProjectGateObject>;
  return {
    idFromName: (name: string) => objects.idFromName(name),
    get: (id: DurableObjectId) => {
      const stub = objects.get(id);
      return {
        admit: (...given: Parameters<typeof stub.admit>) => noted("gate admit", () => stub.admit(...given)),
        release: (...given: Parameters<typeof stub.release>) => noted("gate release", () => stub.release(...given)),
        complete: (...given: Parameters<typeof stub.complete>) => late(() => stub.complete(...given)),
      };
    },
  };
}

/** The methods of the bucket that a request calls. */
function bucketBehind(noted: Noted) {
  const { BLOBS } = env;
  return {
    put: (key: string, content: string | Uint8Array) => noted("R2", () => BLOBS.put(key, content)),
    get: (key: string) => noted("R2", () => BLOBS.get(key)),
    delete: (keys: string[]) => noted("R2", () => BLOBS.delete(keys)),
  };
}
