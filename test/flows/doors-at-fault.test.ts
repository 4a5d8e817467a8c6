import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import faults from "../../docs/faults.md?raw";
import { wholeApp } from "../../src/app";
import { queueOf } from "../../src/core/messages";
import { ticks } from "../../src/cron";
import { policySaidBy } from "../../src/http/policy";
import wrangler from "../../wrangler.toml?raw";
import { callAtFault } from "../support/cloud";
import { countAndForget } from "../support/counted";
import {
  allFromWrite,
  DatabaseFault,
  everyTrip,
  type FaultName,
  fromWrite,
  type Meant,
  staying,
} from "../support/database-fault";
import { type Door, keyFor, links, operations } from "../support/doors";
import { everyRow } from "../support/every-row";
import { FaultTally, type Harm, sumOf, unharmed } from "../support/fault-tally";
import { type Answer, call, newProject, type TestProject } from "../support/project";
import { sample } from "../support/sample";
import { signedIn } from "../support/visitor";

interface Operation {
  method: string;
  path: string;
  operationId: string;
  security: Record<string, unknown>[] | null;
}

const { body: document } = await call("GET", "/openapi.json");
const documented: Operation[] = Object.entries<Record<string, Partial<Operation>>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = "", security = document.security }]) => ({
      method: method.toUpperCase(),
      path,
      operationId,
      security,
    })),
);

/** They store what they find, though a disabled project may call them. */
const writingReads = ["verifyDomain", "preflightCampaign"];
/** Reads that ask no database, and those that say which database does not answer. */
const askingNobody = ["getMe", "listActivityTypes", "getHealth", "getMetrics"];
/** Queries without which a read is refused. */
const queries: Record<string, string> = {
  explainCampaign: "?email=ada@example.com",
  search: "?q=ada",
  getBackupFile: "?name=manifest.json",
};

const app = await wholeApp();

function policyOf({ method, path }: Operation) {
  const route = app.routes.find((one) => one.method === method && one.path === path.replace(/\{(\w+)\}/g, ":$1"));
  return route === undefined ? undefined : policySaidBy(route);
}

function takesSession({ security }: Operation): boolean {
  return security?.some((way) => "session" in way) ?? false;
}

/** The headers of a person whose session this isolate knows. */
async function sessionHeaders(): Promise<Record<string, string>> {
  const visitor = await signedIn("owner");
  await visitor.call("GET", "/console/me");
  return visitor.headers();
}

/** By the policy of its route. */
function writes(operation: Operation): boolean {
  const isRead = policyOf(operation)?.isRead ?? true;
  return writingReads.includes(operation.operationId) || !isRead;
}

const doors: [string, Operation, Door][] = [
  ...documented.flatMap((operation): [string, Operation, Door][] => {
    const door = operations[operation.operationId];
    return door ? [[operation.operationId, operation, door]] : [];
  }),
  ...Object.entries(links).map(([name, door]): [string, Operation, Door] => {
    const [method = "", path = ""] = name.split(" ");
    return [name, { method, path, operationId: name, security: null }, door];
  }),
];

beforeEach(() => {
  // A batch waits before it runs again.
  vi.spyOn(scheduler, "wait").mockResolvedValue();
  return () => vi.restoreAllMocks();
});

afterEach(countAndForget);

it("knows every operation that writes", () => {
  expect(Object.keys(operations).toSorted()).toEqual(
    documented
      .filter(writes)
      .map(({ operationId }) => operationId)
      .toSorted(),
  );
});

it("docs/faults.md names every door that writes, every message, sweep and object", () => {
  const objects = [...wrangler.matchAll(/class_name = "(\w+)"/g)].map(([, name]) => name);
  const names = [
    ...Object.keys(operations),
    ...Object.keys(queueOf),
    ...Object.values(ticks).flatMap(Object.keys),
    ...objects,
  ];
  expect(names.filter((name) => !faults.includes(`\`${name}\``))).toEqual([]);
});

interface Knocked {
  answer: Answer;
  /** Nothing at all has changed. */
  isUntouched: boolean;
  /** By how many rows each table has changed. */
  changes: Record<string, number>;
  trips: number;
  met: number;
}

type Knocks = (faults: FaultName[], meant?: Meant, idempotencyKey?: Record<string, string>) => Promise<Knocked>;

/** Each knock has a project of its own. */
async function standAt(operation: Operation, door: Door): Promise<Knocks> {
  return async (faults, meant = fromWrite(1), idempotencyKey = {}) =>
    knock(await newProject(door.project), operation, door, faults, meant, idempotencyKey);
}

async function knock(
  project: TestProject,
  operation: Operation,
  door: Door,
  faults: FaultName[],
  meant: Meant,
  idempotencyKey: Record<string, string>,
): Promise<Knocked> {
  const { params = {}, query = "", body, headers: given } = await door.knock(project);
  const headers = { ...given, ...idempotencyKey };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const fault = new DatabaseFault(faults, meant.isMeant);
  const key = operation.security && keyFor(project, operation.security);
  const before = await everyRow(project);
  const answer = await callAtFault(operation.method, path + query, { key, body, headers, fault });
  const after = await everyRow(project);
  const isUntouched = JSON.stringify(before) === JSON.stringify(after);
  return { answer, isUntouched, changes: changesOf(before, after), trips: meant.count(), met: fault.met };
}

function changesOf(before: Record<string, string[]>, after: Record<string, string[]>): Record<string, number> {
  const tables = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...tables].sort().map((name) => [name, (after[name]?.length ?? 0) - (before[name]?.length ?? 0)]);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

/** Nothing is done twice, and an effect of "none" is none. */
function judge({ answer, changes, isUntouched }: Knocked, door: Door, good: Knocked, what: string): void {
  const { status, headers, body } = answer;
  expect([door.good, door.later, 503], `${what}: ${JSON.stringify(body)}`).toContain(status);
  for (const [table, change] of Object.entries(changes)) {
    const once = good.changes[table] ?? 0;
    expect(change, `${what}: ${table}`).toBeGreaterThanOrEqual(Math.min(0, once));
    expect(change, `${what}: ${table}`).toBeLessThanOrEqual(Math.max(0, once));
  }
  if (status !== 503) return;
  expect(Number(headers.get("Retry-After")), what).toBeGreaterThan(0);
  if (typeof body === "string") {
    expect(body, what).toContain("This page cannot be shown right now");
    return;
  }
  expect(body.error.code, what).toBe("EXTERNAL_SERVICE_ERROR");
  expect(["none", "unknown", "done"], what).toContain(body.error.details.effect);
  if (body.error.details.effect === "none") expect(isUntouched, what).toBe(true);
  if (body.error.details.effect === "done") expect(changes, what).toEqual(good.changes);
}

/** What was done beside what should have been done once: `isWhole` when the answer says that all of it was. */
function harmOf({ answer, changes, isUntouched }: Knocked, door: Door, good: Knocked, isWhole: boolean): Harm {
  const tables = [...new Set([...Object.keys(changes), ...Object.keys(good.changes)])];
  const harm = tables.map((table): Harm => {
    const [once, found] = [good.changes[table] ?? 0, changes[table] ?? 0];
    // Rows that go are counted like rows that come.
    const [wanted, had] = once < 0 ? [-once, -found] : [once, found];
    return { lost: isWhole ? Math.max(0, wanted - had) : 0, doubled: Math.max(0, had - wanted, -had), stuck: 0 };
  });
  const isSaid = [door.good, door.later, 503].includes(answer.status);
  const isNothing = answer.status === 503 && answer.body?.error?.details.effect === "none";
  // Neither done nor refused, or refused and half done: nobody would ever put it right.
  return sumOf(...harm, { ...unharmed, stuck: isSaid && (isUntouched || !isNothing) ? 0 : 1 });
}

const tallies = { api: new FaultTally("Operations"), pages: new FaultTally("Pages of recipients") };

const passing: FaultName[][] = [["answer lost"], ["connection lost"], ["storage reset"], ["code updated"]];
const staying503: FaultName[][] = [
  ["overloaded"],
  staying("connection lost"),
  ["answer lost", ...staying("connection lost")],
];
const all = [...passing, ...staying503];

/** Each of these faults at each of the writes. */
function meetings(trips: number, faults: FaultName[][]): { trip: number; faults: FaultName[] }[] {
  return Array.from({ length: trips }, (_, before) => faults.map((faults) => ({ trip: before + 1, faults }))).flat();
}

describe.each(doors)("%s", (name, operation, door) => {
  const tally = name in links ? tallies.pages : tallies.api;

  it("is done once at most, whatever happens to each of its writes", async () => {
    const knock = await standAt(operation, door);
    const good = await knock([]);
    expect(good.answer.status, JSON.stringify(good.answer.body)).toBe(door.good);
    for (const { trip, faults } of sample(meetings(good.trips, all), { name })) {
      const what = `write ${trip}, ${faults.slice(0, 2).join(" and ")}`;
      const knocked = await knock(faults, fromWrite(trip));
      const isMadeUp = trip >= (door.madeUpFrom ?? Number.POSITIVE_INFINITY);
      if (staying503.includes(faults)) {
        expect(knocked.met, what).toBeGreaterThan(0);
        for (const fault of new Set(faults)) tally.add(name, fault, harmOf(knocked, door, good, false));
        judge(knocked, door, good, what);
        expect(knocked.answer.status, what).toBe(isMadeUp ? (door.later ?? door.good) : 503);
        continue;
      }
      expect(knocked.met, what).toBe(1);
      const isDone = knocked.answer.status !== 503 && !isMadeUp;
      for (const fault of faults) tally.add(name, fault, harmOf(knocked, door, good, isDone));
      judge(knocked, door, good, what);
      expect(knocked.answer.status === 503, what).toBe(door.unsure?.includes(trip) ?? false);
      if (isDone) expect(knocked.changes, what).toEqual(good.changes);
    }
    const out = await knock(staying("connection lost"), everyTrip());
    judge(out, door, good, "no database");
    expect(out.answer.status).toBe(503);
    expect(out.isUntouched).toBe(true);
  });
});

describe("with a key", () => {
  const header = { "Idempotency-Key": "order-1" };
  const keyed = doors.filter(([, operation]) => policyOf(operation)?.once);

  it("go the operations that take one", () => {
    expect(keyed.map(([name]) => name)).toContain("sendEmail");
  });

  it.each(keyed)(
    "%s says what it has done when nothing answers from one of its writes on",
    async (name, operation, door) => {
      const knock = await standAt(operation, door);
      const good = await knock([], fromWrite(1), header);
      expect(good.answer.status, JSON.stringify(good.answer.body)).toBe(door.good);
      for (const { trip, faults } of sample(meetings(good.trips, staying503), { name })) {
        const what = `write ${trip}, ${faults[0]} and ${faults[1]}`;
        judge(await knock(faults, allFromWrite(trip), header), door, good, what);
      }
    },
  );
});

it.each(Object.entries(tallies))("is what the table of docs/faults.md says: %s", (_, tally) =>
  tally.expectAsDocumented(),
);

describe("an operation that reads", () => {
  const reads = documented.filter(
    (operation) => operation.method === "GET" && !writes(operation) && !askingNobody.includes(operation.operationId),
  );

  it.each(reads.map((operation) => [operation.operationId, operation] as const))(
    "%s answers 503 without the database, and says that nothing was done",
    async (_, operation) => {
      const project = await newProject();
      await project.api.get("/contacts");
      const path = operation.path
        .replace("{projectId}", project.id)
        .replace("{field}", "data.plan")
        .replace(/\{\w+\}/g, "0199a0f2-0000-7000-8000-000000000000");
      const fault = new DatabaseFault(staying("connection lost"), everyTrip().isMeant);
      const key = keyFor(project, operation.security ?? []);
      const headers = takesSession(operation) ? await sessionHeaders() : {};
      const query = queries[operation.operationId] ?? "";
      const { status, body } = await callAtFault("GET", path + query, { key, headers, fault });
      expect([status, body?.error?.details], JSON.stringify(body)).toEqual([503, { effect: "none" }]);
    },
  );
});
