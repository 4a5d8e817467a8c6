import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Id, publicId, textOf } from "../../src/core/ids";
import { hourMs, minuteMs } from "../../src/core/time";
import type { StepOutcome } from "../../src/core/workflows/outcome";
import type { WebhookConfig } from "../../src/core/workflows/steps/webhook-config";
import { drainOutbound } from "../../src/engine/outbound/drain";
import { queueDue } from "../../src/engine/outbound/sweeps";
import { workflowCalls } from "../../src/engine/workflows/calls/calls";
import type { Settle, WaitingStep } from "../../src/engine/workflows/calls/report";
import { type Arrival, effectIdOf, type Scope } from "../../src/engine/workflows/steps/arrival";
import { webhook } from "../../src/engine/workflows/steps/webhook";
import { TrackEvent } from "../../src/features/events/schema";
import { trackEvent } from "../../src/features/events/track";
import { webhookCalls } from "../../src/features/webhooks/calls";
import { handleMessage } from "../../src/queue";
import { arrivalAt, eventOf, newStep, testWorkflow } from "../support/arrivals";
import { type Death, wasKilled } from "../support/killable";
import { Outside, rejectOn } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { newContact } from "../support/segment";
import { newHost, newWebhook } from "../support/webhook";
import { addressOf, executionsOf, type GivenWorkflow, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Executions that hear of their calls. */
class Executions {
  heard = new Map<string, StepOutcome[]>();
  isDeaf = false;
  isElsewhere = false;

  settle: Settle = async (_, { executionId, stepId }: WaitingStep, outcome) => {
    if (this.isDeaf) throw new Error("The object is not there");
    const key = `${textOf(executionId)}:${textOf(stepId)}`;
    this.heard.set(key, [...(this.heard.get(key) ?? []), outcome]);
    return !this.isElsewhere;
  };

  of(arrival: Pick<Arrival, "executionId" | "step">): StepOutcome[] {
    return this.heard.get(effectIdOf(arrival)) ?? [];
  }
}

async function store(world: World, project: TestProject, arrivals: Arrival<"WEBHOOK">[], death?: Death) {
  const { ctx, process } = await world.context(project, death);
  return { outcomes: await webhook.run(ctx, arrivals), process };
}

async function drain(world: World, executions: Executions, death?: Death): Promise<void> {
  const { platform } = world.process(death);
  await drainOutbound(platform, [webhookCalls, workflowCalls(executions.settle)], { type: "workflows.call" });
}

/** Minute by minute, as the sweep does it. */
async function pass(world: World, executions: Executions, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    world.now += minuteMs;
    world.queue = [];
    await queueDue(world.process().platform, workflowCalls());
    if (world.queue.length > 0) await drain(world, executions);
  }
}

async function setUp(config: Partial<WebhookConfig> = {}, fields: Record<string, unknown> = {}) {
  const [project, world, executions] = [await newProject(), new World(), new Executions()];
  const { id } = await newContact(project, "ada@example.com", { data: { plan: "pro" }, ...fields });
  const host = newHost(world);
  const step = newStep("WEBHOOK", { url: `https://${host}/hook`, method: "POST", ...config });
  const at = (url: string, rest: Partial<WebhookConfig> = {}) =>
    newStep("WEBHOOK", { url: `https://${host}${url}`, method: "POST", ...rest });
  const arrive = (scope: Partial<Scope> = {}, of = step) => arrivalAt(of, id, scope);
  return { project, world, executions, id, host, step, at, arrive };
}

const answers =
  (status: number, body = "", headers?: Record<string, string>) =>
  () =>
    new Response(status === 204 ? null : body, { status, headers });

/** Endpoints that never answer; the patience for them is short. */
function hang(hosts: string[]): void {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    return controller.signal;
  });
  for (const host of hosts) outside.play(host, ({ signal }) => new Promise((_, reject) => rejectOn(signal, reject)));
}

const called = (world: World): StepOutcome => ({ kind: "called", until: world.now + 15 * minuteMs });

async function rowsOf(project: TestProject): Promise<Record<string, unknown>[]> {
  const { results } = await project.db
    .prepare("SELECT attempts, request, outcome, ended_at, next_attempt_at FROM workflow_calls WHERE project_id = ?")
    .bind(project.id)
    .all();
  return results;
}

describe("a WEBHOOK step", () => {
  it("calls nobody itself; its consumer calls with all that a receiver needs, and the execution hears of it", async () => {
    const { project, world, executions, id, host, arrive } = await setUp();
    outside.play(host, answers(200, '{"id":7}'));
    const event = eventOf({ total: 3 }, { name: "purchase" });
    const arrival = arrive({ event });
    const { outcomes, process } = await store(world, project, [arrival]);
    expect([outcomes, process.steps, outside.calls]).toEqual([[called(world)], ["batch", "batch", "enqueue"], []]);
    expect(world.queue.map(({ queued }) => queued.message)).toEqual([{ type: "workflows.call" }]);
    await drain(world, executions);
    const [made, ...others] = outside.callsTo(host);
    expect(others).toEqual([]);
    expect(made?.method).toBe("POST");
    expect(made?.headers.get("content-type")).toBe("application/json");
    expect(made?.headers.get("idempotency-key")).toBe(`${publicId(arrival.executionId)}:${publicId(arrival.step.id)}`);
    expect(made?.json).toEqual({
      contact: { id, email: "ada@example.com", subscribed: true, data: { plan: "pro" } },
      workflow: { id: publicId(testWorkflow.id), name: "Welcome" },
      execution: { id: publicId(arrival.executionId) },
      event: { id: publicId(event?.id as Id), name: "purchase", data: { total: 3 } },
    });
    const outcome = { kind: "done", output: { statusCode: 200, success: true, response: { id: 7 } } };
    expect(executions.of(arrival)).toEqual([outcome]);
    // Nothing of it is kept here.
    expect(await rowsOf(project)).toMatchObject([{ attempts: 1, request: null, outcome: null, next_attempt_at: null }]);
    expect((await store(world, project, [arrival])).outcomes).toEqual([{ kind: "done" }]);
    await pass(world, executions, 30);
    expect(outside.calls).toHaveLength(1);
  });

  it("fills in Liquid, and keeps each value in its place", async () => {
    const { project, world, executions, host, at, arrive } = await setUp();
    outside.play(host, answers(204));
    const evil = "a/../b?x=1&y#z \r\nX-Evil: 1 {{ email }}\\é";
    const step = at("/u/{{ event.id }}/{{ event.id | raw }}?q={{ event.id }}&r={{ event.id | url_encode }}", {
      headers: { "X-Plan": "{{ plan }}", "X-Event": "{{ event.header }}", "Idempotency-Key": "mine" },
      body: { text: "{{ event.id }}", list: ["{{ plan }}", 7, null], "{{ plan }}": true },
    });
    const event = eventOf({ id: evil, header: "one\r\nX-Evil: 1" });
    await store(world, project, [arrive({ event }, step)]);
    await drain(world, executions);
    const [made] = outside.callsTo(host);
    const encoded = encodeURIComponent(evil);
    expect(made?.url.pathname).toBe(`/u/${encoded}/${encoded}`);
    expect([...(made?.url.searchParams ?? [])]).toEqual([
      ["q", evil],
      ["r", evil],
    ]);
    expect([made?.headers.get("x-plan"), made?.headers.get("x-event"), made?.headers.get("x-evil")]).toEqual([
      "pro",
      "oneX-Evil: 1",
      null,
    ]);
    expect(made?.headers.get("idempotency-key")).not.toBe("mine");
    expect(made?.json).toEqual({ text: evil, list: ["pro", 7, null], "{{ plan }}": true });
  });

  it.each([
    ["/u/{{ event.id }}/x", "..", "would change the path"],
    ["/u/{{ event.id }}", ".", "would change the path"],
    ["{{ event.id }}/x", ".evil.com", "no literal scheme and host"],
    [":{{ event.id }}/x", "22", "no literal scheme and host"],
  ])("fails rather than call another place: %s with %s", async (url, value, reason) => {
    const { project, world, at, arrive } = await setUp();
    const { outcomes } = await store(world, project, [arrive({ event: eventOf({ id: value }) }, at(url))]);
    expect(outcomes).toEqual([{ kind: "failed", reason: expect.stringContaining(reason) }]);
    expect(await rowsOf(project)).toEqual([]);
  });

  it.each([
    "http://127.0.0.1/x",
    "http://169.254.169.254/latest",
    "http://[::1]/",
    "ftp://a.com/x",
    "https://localhost/",
  ])("fails for a URL that nobody may call: %s", async (url) => {
    const { project, world, arrive } = await setUp();
    const step = newStep("WEBHOOK", { url, method: "POST" });
    expect((await store(world, project, [arrive({}, step)])).outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it.each([
    [404, "no", { statusCode: 404, success: false, response: "no" }],
    [201, "", { statusCode: 201, success: true, response: "" }],
    [400, '{"a":[1]}', { statusCode: 400, success: false, response: { a: [1] } }],
    [200, "x".repeat(20_000), { statusCode: 200, success: true, response: "x".repeat(10_240) }],
    [
      200,
      "[".repeat(2_000) + "]".repeat(2_000),
      { statusCode: 200, success: true, response: "[".repeat(2_000) + "]".repeat(2_000) },
    ],
  ])("is over with an answer of %i", async (status, body, output) => {
    const { project, world, executions, host, arrive } = await setUp();
    outside.play(host, answers(status, body));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    await pass(world, executions, 10);
    expect(executions.of(arrival)).toEqual([{ kind: "done", output }]);
    expect(outside.calls).toHaveLength(1);
  });

  it.each([429, 500, 503])("is tried three times when the answer is %i, with one key, then fails", async (status) => {
    const { project, world, executions, host, arrive } = await setUp();
    outside.play(host, answers(status));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    await pass(world, executions, 30);
    expect(executions.of(arrival)).toEqual([{ kind: "failed", reason: `The endpoint answered ${status}.` }]);
    expect(new Set(outside.callsTo(host).map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
    expect(outside.callsTo(host)).toHaveLength(3);
  });

  it("goes on when two answers of 500 are followed by 200", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    const statuses = [500, 500, 200];
    outside.play(host, () => new Response("", { status: statuses.shift() ?? 500 }));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    await pass(world, executions, 10);
    expect(executions.of(arrival)).toMatchObject([{ kind: "done", output: { statusCode: 200 } }]);
  });

  it("fails at once when the name or a redirect leads to a private network", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    outside.play(host, answers(302, "", { Location: "http://10.0.0.1/" }));
    const inside = newHost(world);
    world.dnsRecords[`A ${inside}`] = ["10.0.0.1"];
    const redirected = arrive();
    const resolved = arrive({}, newStep("WEBHOOK", { url: `https://${inside}/`, method: "POST" }));
    await store(world, project, [redirected]);
    await store(world, project, [resolved]);
    await drain(world, executions);
    expect(executions.of(redirected)).toEqual([{ kind: "failed", reason: expect.any(String) }]);
    expect(executions.of(resolved)).toEqual([
      { kind: "failed", reason: expect.stringContaining("not on the public internet") },
    ]);
    expect(outside.callsTo(inside)).toEqual([]);
  });

  it("calls once for each of 150 runs, however often it is repeated, wherever it dies", async () => {
    const { project, world, executions, host, step, id } = await setUp();
    outside.play(host, answers(200));
    const arrivals = Array.from({ length: 150 }, () => arrivalAt(step, id));
    for (const atStep of [1, 2, 3]) {
      for (const when of ["before", "after"] as const) {
        await store(world, project, arrivals, { atStep, when }).catch((error) => expect(wasKilled(error)).toBe(true));
      }
    }
    await Promise.all([store(world, project, arrivals), store(world, project, arrivals)]);
    // One message makes as many statements as an invocation may, and sends another.
    await drain(world, executions);
    expect(world.queue).toMatchObject([{ queued: { message: { type: "workflows.call" } } }]);
    await drain(world, executions);
    expect(outside.calls).toHaveLength(150);
    expect(arrivals.every((arrival) => executions.of(arrival).length === 1)).toBe(true);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8].flatMap((atStep) => [[atStep, "before"] as const, [atStep, "after"] as const]))(
    "reports to its run when a consumer dies at step %i (%s)",
    async (atStep, when) => {
      const { project, world, executions, host, arrive } = await setUp();
      outside.play(host, answers(200));
      const arrival = arrive();
      await store(world, project, [arrival]);
      await drain(world, executions, { atStep, when }).catch((error) => {
        if (!wasKilled(error) && !String(error).includes("Killed")) throw error;
      });
      await pass(world, executions, 5);
      const known = executions.of(arrival);
      // What it has not heard, it asks for.
      const { outcomes } = await store(world, project, [arrival]);
      expect([...known, ...outcomes].filter((outcome) => outcome?.kind === "done")).not.toEqual([]);
      expect(outside.calls.length).toBeLessThanOrEqual(2);
    },
  );

  it("is answered by its row when the report was lost", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    outside.play(host, answers(200, "said"));
    const arrival = arrive();
    await store(world, project, [arrival]);
    executions.isDeaf = true;
    await drain(world, executions);
    await pass(world, executions, 5);
    expect((await store(world, project, [arrival])).outcomes).toEqual([
      { kind: "done", output: { statusCode: 200, success: true, response: "said" } },
    ]);
    expect(outside.calls).toHaveLength(1);
  });

  it("is answered by its row when the call was faster than the execution's way to the step", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    outside.play(host, answers(200, "said"));
    const arrival = arrive();
    await store(world, project, [arrival]);
    executions.isElsewhere = true;
    await drain(world, executions);
    expect((await store(world, project, [arrival])).outcomes).toEqual([
      { kind: "done", output: { statusCode: 200, success: true, response: "said" } },
    ]);
  });

  it("is done when an execution comes to it again, with what was answered before", async () => {
    const { project, world, executions, host, arrive, step } = await setUp();
    outside.play(host, answers(200, "said"));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    const output = { statusCode: 200, success: true, response: "said" };
    const again = { ...arrival, scope: { ...arrival.scope, steps: { [step.name]: output } } };
    expect((await store(world, project, [again])).outcomes).toEqual([{ kind: "done", output }]);
    expect(outside.calls).toHaveLength(1);
  });

  it("calls for no contact that was erased, and keeps nothing of them", async () => {
    const { project, world, executions, id, host, arrive } = await setUp();
    outside.play(host, answers(200));
    await store(world, project, [arrive()]);
    await project.api.delete(`/contacts/${id}`);
    await drain(world, executions);
    expect([outside.calls, await rowsOf(project)]).toEqual([[], []]);
    expect((await store(world, project, [arrive()])).outcomes).toEqual([
      { kind: "done", skipped: "The contact was deleted" },
    ]);
  });

  it("writes few rows for a call", async () => {
    const { project, world, executions, host, step, id } = await setUp();
    outside.play(host, answers(200));
    const before = world.rowsWritten;
    await store(
      world,
      project,
      Array.from({ length: 100 }, () => arrivalAt(step, id)),
    );
    const stored = (world.rowsWritten - before) / 100;
    await drain(world, executions);
    const made = (world.rowsWritten - before) / 100 - stored;
    expect({ stored: stored <= 3.1, made: made <= 12 }, `${stored} and ${made}`).toEqual({ stored: true, made: true });
  });
});

describe("a host that never answers", () => {
  it("gets no further call for 30 seconds, then twice as long each time; what waits an hour for it fails", async () => {
    const { project, world, executions, host, step, id } = await setUp();
    hang([host]);
    const arrivals = Array.from({ length: 60 }, () => arrivalAt(step, id));
    await store(world, project, arrivals);
    await drain(world, executions);
    const calls: number[] = [];
    for (let minute = 0; minute < 16; minute++) {
      await pass(world, executions, 1);
      calls.push(outside.callsTo(host).length);
    }
    expect(calls).toEqual([2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6]);
    await pass(world, executions, 180);
    expect(arrivals.every((arrival) => executions.of(arrival).length === 1)).toBe(true);
    expect(arrivals.every((arrival) => executions.of(arrival)[0]?.kind === "failed")).toBe(true);
    expect(outside.callsTo(host).length).toBeLessThan(12);
  });
});

describe("what a neighbour feels", () => {
  const tenants: TestProject[] = [];
  afterEach(async () => {
    for (const { db, id } of tenants.splice(0)) {
      await db.batch(
        ["workflow_hosts", "workflow_calls"].map((table) =>
          db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(id),
        ),
      );
    }
  });

  /** A project with a call for each of many hosts. */
  async function hostile(world: World, hosts: number) {
    const project = await newProject();
    tenants.push(project);
    const { id } = await newContact(project, "eve@example.com");
    const names = Array.from({ length: hosts }, () => newHost(world));
    const [now, list] = [world.now, JSON.stringify(names)];
    await project.db.batch([
      project.db
        .prepare(
          `INSERT INTO workflow_calls (project_id, contact_id, effect_id, host, request, next_attempt_at, created_at)
          SELECT ?1, ?2, 'run' || key || ':step', value,
            json_object('url', 'https://' || value || '/', 'method', 'POST', 'headers', json('{}'), 'body', ''), ?3, ?3
          FROM json_each(?4)`,
        )
        .bind(project.number, id, now, list),
      project.db
        .prepare("INSERT INTO workflow_hosts (project_id, host, due_at) SELECT ?1, value, ?2 FROM json_each(?3)")
        .bind(project.number, now, list),
    ]);
    return { project, hosts: names };
  }

  /** Without the Worker's own queue, whose consumer would make the other calls too. */
  async function trackPurchase(world: World, project: TestProject): Promise<void> {
    const { ctx } = await world.context(project);
    await trackEvent(ctx, TrackEvent.parse({ email: "ada@example.com", event: "purchase" }), "POST /v1/track");
    const messages = world.queue.splice(0).filter(({ queued }) => queued.message.type === "events.dispatch");
    for (const { queued } of messages) await handleMessage(world.process().platform, queued.message);
  }

  function untilReleased(hosts: string[]): () => void {
    let release = () => {};
    const never = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const host of hosts) outside.play(host, () => never.then(() => new Response("late")));
    return release;
  }

  it("of a tenant with ten thousand hanging endpoints: its own calls and webhooks go out at once, with one consumer too", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    const { hosts } = await hostile(world, 10_000);
    const release = untilReleased(hosts);
    const webhook = await newWebhook(world, project, ["purchase"]);
    for (const one of [host, webhook.host]) outside.play(one, answers(200));
    const working = drain(world, executions);
    await vi.waitFor(() => expect(outside.calls).toHaveLength(2));
    const arrivals = Array.from({ length: 20 }, () => arrive());
    await store(world, project, arrivals);
    await trackPurchase(world, project);
    await vi.waitFor(() => expect(outside.callsTo(host)).toHaveLength(20), { timeout: 5_000 });
    await vi.waitFor(() => expect(outside.callsTo(webhook.host)).toHaveLength(1), { timeout: 5_000 });
    expect(outside.calls).toHaveLength(2 + 20 + 1);
    // Its time is over.
    world.now += 30_000;
    release();
    await working;
  });

  it("of five such tenants: a turn among theirs, in each consumer's time", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    const theirs = [];
    for (let n = 0; n < 5; n++) theirs.push(await hostile(world, 2_000));
    hang(theirs.flatMap(({ hosts }) => hosts));
    outside.play(host, answers(200));
    // Theirs wait much longer.
    world.now += 10 * minuteMs;
    const arrivals = Array.from({ length: 5 }, () => arrive());
    await store(world, project, arrivals);
    const patience = vi.mocked(AbortSignal.timeout).getMockImplementation();
    vi.mocked(AbortSignal.timeout).mockImplementation((ms) => {
      // Each of their calls takes its ten seconds of the consumer's time.
      world.now += 1_000;
      return patience?.(ms) ?? new AbortController().signal;
    });
    await drain(world, executions);
    const order = outside.calls.map(({ url }) => url.host);
    expect(order.indexOf(host)).toBeGreaterThanOrEqual(0);
    expect(order.indexOf(host)).toBeLessThan(12);
  });
});

it("waits while its project is disabled", async () => {
  const { project, world, executions, host, arrive } = await setUp();
  outside.play(host, answers(200));
  await store(world, project, [arrive()]);
  const { ctx } = await world.context(project);
  await workflowCalls(executions.settle).takeTurn(
    { ...ctx, project: { ...ctx.project, disabled: true } },
    host,
    () => false,
  );
  expect(outside.calls).toEqual([]);
  world.now += hourMs;
  await drain(world, executions);
  expect(outside.calls).toHaveLength(1);
});

describe("a call of an execution that is over", () => {
  const calling = (host: string): GivenWorkflow => ({
    steps: { call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }] },
    ways: [["TRIGGER", "call"]],
  });

  /** The executions of contacts in a workflow that calls, each at its call. */
  async function atCall(names: string[]) {
    const [project, world] = [await newProject(), new World()];
    const host = newHost(world);
    const workflow = await newWorkflow(project, calling(host));
    await project.db
      .prepare("INSERT INTO workflow_hosts (project_id, host, put_off_until) VALUES (?, ?, ?)")
      .bind(project.id, host, world.now + hourMs)
      .run();
    const contacts: Id[] = [];
    for (const name of names) {
      contacts.push((await track(world, project, "signup", { email: `${name}@example.com` })).contactId);
    }
    await world.drain();
    const { workflowShards } = world.process().platform;
    const cancel = async (contactId: Id) => {
      const [execution] = await executionsOf(world, project, contactId);
      const address = addressOf(project, contactId);
      if (execution) await workflowShards.of(address).cancel(address, execution.id, "Cancelled");
    };
    /** The host's time has come. */
    const call = async () => {
      world.now += 2 * hourMs;
      await queueDue(world.process().platform, workflowCalls());
      await world.drain();
    };
    return { project, world, host, workflow, contacts, cancel, call };
  }

  it("is not made, and nothing of it is kept", async () => {
    const { project, host, contacts, cancel, call } = await atCall(["ada"]);
    outside.play(host, answers(200));
    for (const contactId of contacts) await cancel(contactId);
    await call();
    expect(outside.calls).toEqual([]);
    expect(await rowsOf(project)).toEqual([
      { attempts: 0, request: null, outcome: null, next_attempt_at: null, ended_at: expect.any(Number) },
    ]);
  });

  it("is not made when it ends while others of its host are called", async () => {
    const { world, project, host, contacts, cancel, call } = await atCall(["ada", "bob"]);
    outside.play(host, async ({ json }) => {
      for (const contactId of contacts) if (publicId(contactId) !== json.contact.id) await cancel(contactId);
      return new Response("{}");
    });
    await call();
    expect(outside.calls).toHaveLength(1);
    const ends = await Promise.all(contacts.map((contactId) => executionsOf(world, project, contactId)));
    expect(
      ends
        .flat()
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(["CANCELLED", "COMPLETED"]);
  });

  it("is not tried again", async () => {
    const { world, host, contacts, cancel, call } = await atCall(["ada"]);
    outside.play(host, answers(500));
    await call();
    for (const contactId of contacts) await cancel(contactId);
    world.now += hourMs;
    await call();
    expect(outside.calls).toHaveLength(1);
  });
});

describe("a large answer", () => {
  it("is kept apart from its execution, named like any other, and erased with its contact", async () => {
    const [project, world] = [await newProject(), new World()];
    const host = newHost(world);
    const note = "x".repeat(5_000);
    outside.play(host, answers(200, JSON.stringify({ plan: "pro", note })));
    await newWorkflow(project, {
      steps: {
        ask: ["WEBHOOK", { url: `https://${host}/ask`, method: "POST" }],
        keep: ["UPDATE_CONTACT", { data: { plan: "{{ steps.ask.response.plan }}" } }],
      },
      ways: [
        ["TRIGGER", "ask"],
        ["ask", "keep"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    const outputs = async () => (await executionsOf(world, project, contactId))[0]?.steps.map(({ output }) => output);
    expect(await outputs()).toEqual([
      null,
      { statusCode: 200, success: true, response: { plan: "pro", note } },
      { data: ["plan"] },
    ]);
    const { results: people } = await project.db
      .prepare("SELECT data ->> 'plan' AS plan FROM contacts WHERE project_id = ?")
      .bind(project.number)
      .all();
    expect(people).toEqual([{ plan: "pro" }]);
    const rows = () =>
      runInDurableObject(shardStub(addressOf(project, contactId)), (_, { storage: { sql } }) => [
        sql.exec("SELECT length(records) < 2000 AS is_small FROM executions").toArray(),
        sql.exec("SELECT count(*) AS n FROM outputs").toArray(),
      ]);
    expect(await rows()).toEqual([[{ is_small: 1 }], [{ n: 1 }]]);
    const { workflowShards } = world.process().platform;
    await workflowShards.of(addressOf(project, contactId)).eraseContacts(addressOf(project, contactId), [contactId]);
    expect(await rows()).toEqual([[{ is_small: 1 }], [{ n: 0 }]]);
    expect(await outputs()).toEqual([null, null, null]);
  });
});

describe("an endpoint that takes its time", () => {
  it("with an answer of 10 MB has the first 10 KB of it kept", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    let sent = 0;
    const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
    const large = () =>
      new ReadableStream({
        pull: (controller) => {
          if (sent >= 160 * chunk.length) return controller.close();
          sent += chunk.length;
          controller.enqueue(chunk);
        },
      });
    outside.play(host, () => new Response(large()));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    const response = "x".repeat(10 * 1024);
    expect(executions.of(arrival)).toEqual([{ kind: "done", output: { statusCode: 200, success: true, response } }]);
    expect(sent).toBeLessThan(1024 * 1024);
  });

  it("with an answer that comes byte by byte is heard until its time is over", async () => {
    const { project, world, executions, host, arrive } = await setUp();
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      return controller.signal;
    });
    let isCancelled = false;
    const slow = () =>
      new ReadableStream({
        pull: async (controller) => {
          await scheduler.wait(5);
          controller.enqueue(new TextEncoder().encode("x"));
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    outside.play(host, () => new Response(slow()));
    const arrival = arrive();
    await store(world, project, [arrival]);
    await drain(world, executions);
    const output = { statusCode: 200, success: true, response: expect.stringMatching(/^x{1,10}$/) };
    expect(executions.of(arrival)).toEqual([{ kind: "done", output }]);
    expect(isCancelled).toBe(true);
  });
});
