import { beforeEach, describe, expect, it, vi } from "vitest";
import { callAtFault } from "../support/cloud";
import { allFromWrite, DatabaseFault, type FaultName, faultNames, staying } from "../support/database-fault";
import { everyRow } from "../support/every-row";
import { type Answer, call, newProject, type TestProject } from "../support/project";
import { soundTemplate } from "../support/template";

/** A call that writes without a key of its own, and what it has done, counted. */
interface Door {
  name: string;
  method?: string;
  path: string | ((project: TestProject) => Promise<string>);
  isPublic?: boolean;
  body(project: TestProject): unknown;
  before?(project: TestProject): Promise<unknown>;
  effects(project: TestProject): Promise<number>;
  good: number;
}

const count = async (project: TestProject, rows: string): Promise<number> => {
  const found = await project.db
    .prepare(`SELECT count(*) AS n FROM ${rows} AND project_id = ?`)
    .bind(project.number)
    .first<number>("n");
  return found ?? 0;
};

const ada = "ada@example.com";
const sendToAda = ({ domain }: TestProject) => ({
  to: ada,
  from: `hello@${domain}`,
  subject: "Your code",
  body: "<p>42</p>",
});
const idOfAda = async (project: TestProject) => (await project.api.post("/contacts", { email: ada })).body.id;

const doors: Door[] = [
  {
    name: "POST /v1/send",
    path: "/v1/send",
    body: sendToAda,
    effects: (project) => count(project, "emails WHERE to_email = 'ada@example.com'"),
    good: 200,
  },
  {
    name: "POST /v1/track",
    path: "/v1/track",
    isPublic: true,
    body: () => ({ email: ada, event: "signup", data: { plan: "pro" } }),
    effects: (project) => count(project, "events WHERE name = 'signup'"),
    good: 200,
  },
  {
    name: "POST /events/track",
    path: "/events/track",
    body: () => ({ email: ada, event: "signup" }),
    effects: (project) => count(project, "events WHERE name = 'signup'"),
    good: 200,
  },
  {
    name: "POST /contacts of a new one",
    path: "/contacts",
    body: () => ({ email: ada, data: { plan: "pro" } }),
    effects: (project) => count(project, "contacts WHERE email = 'ada@example.com'"),
    good: 201,
  },
  {
    name: "POST /contacts that unsubscribes",
    path: "/contacts",
    before: (project) => project.api.post("/contacts", { email: ada }),
    body: () => ({ email: ada, subscribed: false }),
    effects: (project) => count(project, "events WHERE name = 'contact.unsubscribed'"),
    good: 200,
  },
  {
    name: "PATCH /contacts/{id} that unsubscribes",
    method: "PATCH",
    path: async (project) => `/contacts/${await idOfAda(project)}`,
    body: () => ({ subscribed: false }),
    effects: (project) => count(project, "events WHERE name = 'contact.unsubscribed'"),
    good: 200,
  },
];

beforeEach(() => {
  // A batch waits before it runs again.
  vi.spyOn(scheduler, "wait").mockResolvedValue();
  return () => vi.restoreAllMocks();
});

async function knock(project: TestProject, door: Door, fault: DatabaseFault, headers = {}): Promise<Answer> {
  await door.before?.(project);
  const path = typeof door.path === "string" ? door.path : await door.path(project);
  const key = door.isPublic ? project.keys.public : project.keys.secret;
  return callAtFault(door.method ?? "POST", path, { key, body: door.body(project), headers, fault });
}

describe.each(doors)("$name", (door) => {
  const passing: FaultName[][] = [
    ["answer lost"],
    ["connection lost"],
    ["storage reset"],
    ["code updated"],
    ["connection lost", "answer lost"],
    ["answer lost", "connection lost"],
  ];

  it.each(passing.map((faults) => ({ faults })))("is done once and answers well after $faults", async ({ faults }) => {
    const project = await newProject();
    const fault = new DatabaseFault(faults);
    const answer = await knock(project, door, fault);
    expect(fault.met).toBe(faults.length);
    expect(answer.status).toBe(door.good);
    expect(await door.effects(project)).toBe(1);
  });

  const lasting: { faults: FaultName[]; tries: number; effects: number; effect: string }[] = [
    { faults: ["overloaded"], tries: 1, effects: 0, effect: "none" },
    { faults: staying("connection lost"), tries: 3, effects: 0, effect: "unknown" },
    { faults: staying("storage reset"), tries: 3, effects: 0, effect: "unknown" },
    { faults: staying("code updated"), tries: 3, effects: 0, effect: "unknown" },
    { faults: ["answer lost", ...staying("connection lost")], tries: 3, effects: 1, effect: "unknown" },
    { faults: ["answer lost", "overloaded"], tries: 2, effects: 1, effect: "unknown" },
  ];

  it.each(lasting)(
    "is done at most once and answers 503 after $faults.0 and $faults.1",
    async ({ faults, ...after }) => {
      const project = await newProject();
      const fault = new DatabaseFault(faults);
      const answer = await knock(project, door, fault);
      expect(fault.met).toBe(after.tries);
      expect(answer).toMatchObject({
        status: 503,
        body: { error: { code: "EXTERNAL_SERVICE_ERROR", statusCode: 503 } },
      });
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(answer.body.error.details).toEqual({ effect: after.effect });
      expect(await door.effects(project)).toBe(after.effects);
    },
  );
});

describe("the answer after a commit whose own answer was lost", () => {
  it("names the mail and the contact that were written", async () => {
    const project = await newProject();
    const answer = await knock(project, doors[0] as Door, new DatabaseFault(["answer lost"]));
    const [email] = answer.body.data.emails;
    expect(email).toMatchObject({ contact: { email: ada }, status: "QUEUED" });
    expect((await project.api.get(`/emails/${email.email}`)).status).toBe(200);
    expect((await project.api.get(`/contacts/${email.contact.id}`)).body.email).toBe(ada);
  });

  it("names the event and the contact that were written", async () => {
    const project = await newProject();
    const { body } = await knock(project, doors[1] as Door, new DatabaseFault(["answer lost"]));
    const events = await project.api.get("/events?name=signup");
    expect(events.body.data).toMatchObject([{ id: body.data.event, contactId: body.data.contact }]);
  });

  it("says that the contact is new", async () => {
    const project = await newProject();
    const { body } = await knock(project, doors[3] as Door, new DatabaseFault(["answer lost"]));
    expect(body).toMatchObject({ email: ada, subscribed: true, data: { plan: "pro" } });
  });
});

describe("a key", () => {
  it("gives its first answer after a 503 whose call was done", async () => {
    const project = await newProject();
    const headers = { "Idempotency-Key": "order-1" };
    const lost = await knock(
      project,
      doors[0] as Door,
      new DatabaseFault(["answer lost", ...staying("connection lost")]),
      headers,
    );
    expect(lost).toMatchObject({ status: 503, body: { error: { details: { effect: "unknown" } } } });
    const secret = { headers: { Authorization: `Bearer ${project.keys.secret}`, ...headers } };
    const repeated = await call("POST", "/v1/send", sendToAda(project), secret);
    expect(repeated).toMatchObject({
      status: 409,
      body: { error: { details: { originalResponse: { success: true, data: { emails: [{ status: "QUEUED" }] } } } } },
    });
    expect(await count(project, "emails WHERE true")).toBe(1);
  });

  const keyed = doors.filter(({ path }) => path === "/v1/send" || path === "/v1/track" || path === "/events/track");
  const lost = [
    { faults: ["answer lost", ...staying("connection lost")], effects: 1 },
    { faults: staying("connection lost"), effects: 0 },
  ] satisfies { faults: FaultName[]; effects: number }[];

  it.each(keyed.flatMap((door) => lost.map((one) => ({ door, name: door.name, ...one }))))(
    "is told that the effect of $name is unknown when nothing answers any more, not even a read: first $faults.0",
    async ({ faults, effects, door }) => {
      const project = await newProject();
      const headers = { "Idempotency-Key": "order-1" };
      const answer = await knock(project, door, new DatabaseFault(faults, allFromWrite(1).isMeant), headers);
      expect(answer).toMatchObject({ status: 503, body: { error: { details: { effect: "unknown" } } } });
      expect(await door.effects(project)).toBe(effects);
      // The claim stays. What was done is found at once, and what is not known is not done again.
      const { status, body } = await knock(project, door, new DatabaseFault([]), headers);
      expect(status).toBe(409);
      expect(body.error.details.originalResponse !== undefined).toBe(effects === 1);
      expect(await door.effects(project)).toBe(effects);
    },
  );

  it("is free after a 503 whose call was not done", async () => {
    const project = await newProject();
    const headers = { "Idempotency-Key": "order-1" };
    await knock(project, doors[0] as Door, new DatabaseFault(["overloaded"]), headers);
    const secret = { headers: { Authorization: `Bearer ${project.keys.secret}`, ...headers } };
    expect((await call("POST", "/v1/send", sendToAda(project), secret)).status).toBe(200);
    expect(await count(project, "emails WHERE true")).toBe(1);
  });
});

describe("files that are out of reach", () => {
  const fail = async () => {
    throw new Error("put: We encountered an internal error. Please try again. (10001)");
  };
  // No other method of a bucket is called.
  const bucket = { put: fail, get: fail, delete: fail, list: fail } as unknown as R2Bucket;
  const large = `<p>${"long ".repeat(20_000)}</p>`;
  const calls = [
    { path: "/v1/send", body: (project: TestProject) => ({ ...sendToAda(project), body: large }) },
    {
      path: "/v1/send",
      body: (project: TestProject) => ({
        ...sendToAda(project),
        attachments: [{ filename: "a.txt", content: "YQ==", contentType: "text/plain" }],
      }),
    },
    { path: "/templates", body: (project: TestProject) => ({ ...soundTemplate(project), body: large }) },
  ];

  it.each(calls)("make POST $path answer 503 without an effect", async ({ path, body }) => {
    const project = await newProject();
    const before = await everyRow(project);
    const headers = { "Idempotency-Key": "order-1" };
    const given = { key: project.keys.secret, body: body(project), headers, fault: new DatabaseFault([]) };
    const { status, headers: answered, body: said } = await callAtFault("POST", path, { ...given, bucket });
    expect(status).toBe(503);
    expect(Number(answered.get("Retry-After"))).toBeGreaterThan(0);
    expect(said.error).toMatchObject({
      code: "EXTERNAL_SERVICE_ERROR",
      message: "The file storage does not answer at the moment. This request had no effect.",
      details: { effect: "none" },
    });
    expect(await everyRow(project)).toEqual(before);
    // The key is free again.
    expect((await callAtFault("POST", path, given)).status).toBeLessThan(300);
  });
});

describe("a query that the database ended because it took too long", () => {
  it("is not repeated, and may have had its effect", async () => {
    const project = await newProject();
    let tries = 0;
    const fault: Pick<DatabaseFault, "meet"> = {
      meet: async (trip, make) => {
        if (!trip.sql.some((text) => text.includes("INSERT INTO emails"))) return make();
        tries += 1;
        throw new Error("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.");
      },
    };
    const given = { key: project.keys.secret, body: sendToAda(project), fault };
    const answer = await callAtFault("POST", "/v1/send", given);
    expect(tries).toBe(1);
    expect(answer).toMatchObject({ status: 503, body: { error: { details: { effect: "unknown" } } } });
  });
});

describe("reading", () => {
  it.each(faultNames)("answers 503 and says that nothing was done: %s", async (name) => {
    const project = await newProject();
    const fault = new DatabaseFault(staying(name), ({ sql }) => sql.some((text) => text.includes("contacts")));
    const answer = await callAtFault("GET", "/contacts", { key: project.keys.secret, fault });
    expect(answer).toMatchObject({ status: 503, body: { error: { details: { effect: "none" } } } });
  });
});
