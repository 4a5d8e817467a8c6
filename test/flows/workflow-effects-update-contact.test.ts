import { describe, expect, it } from "vitest";
import type { UpdateContactConfig } from "../../src/core/workflows/steps/update-contact";
import type { Arrival, Scope } from "../../src/engine/workflows/steps/arrival";
import { updateContact } from "../../src/engine/workflows/steps/update-contact";
import { arrivalAt, eventOf, newStep } from "../support/arrivals";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { newContact } from "../support/segment";
import { World } from "../support/world";

async function update(world: World, project: TestProject, arrivals: Arrival<"UPDATE_CONTACT">[], death?: Death) {
  const { ctx, process } = await world.context(project, death);
  return { outcomes: await updateContact.run(ctx, arrivals), process };
}

async function setUp(config: UpdateContactConfig, contact: Record<string, unknown> = {}) {
  const [project, world] = [await newProject(), new World()];
  const { id } = await newContact(project, "ada@example.com", { data: { plan: "free", n: 1 }, ...contact });
  const step = newStep("UPDATE_CONTACT", config);
  return { project, world, id, step, arrive: (scope: Partial<Scope> = {}) => arrivalAt(step, id, scope) };
}

async function contactOf(project: TestProject, id: string) {
  return (await project.api.get(`/contacts/${id}`)).body;
}

describe("an UPDATE_CONTACT step", () => {
  it("writes data by the rules that hold everywhere, with the values of its run", async () => {
    const { project, world, id, arrive } = await setUp({
      data: {
        plan: "{{ event.plan }}",
        note: "{{ n }} of {{ email }}, {{ steps.Check.code }}\n<b>",
        gone: null,
        n: null,
        ignored: "{{ event.nothing }}",
        list: ["{{ event.plan }}", 7],
        once: { value: "x", persistent: false },
        email: "other@example.com",
      },
    });
    const scope = { event: eventOf({ plan: "pro" }), steps: { Check: { code: 5 } } };
    const { outcomes, process } = await update(world, project, [arrive(scope)]);
    expect(outcomes).toEqual([{ kind: "done", output: { data: ["plan", "note", "gone", "n", "list"] } }]);
    expect(process.steps).toEqual(["batch", "batch"]);
    expect(await contactOf(project, id)).toMatchObject({
      email: "ada@example.com",
      data: { plan: "pro", note: "1 of ada@example.com, 5\n<b>", list: ["pro", 7] },
    });
    const { results } = await project.db
      .prepare("SELECT key FROM contact_fields WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(results.map(({ key }) => key).toSorted()).toEqual(["list", "n", "note", "plan"]);
  });

  it("renders a value once, and writes Liquid in it as it is", async () => {
    const { project, world, id, arrive } = await setUp({ data: { said: "{{ event.said }}", n: "{{ n | plus: 1 }}" } });
    const arrival = arrive({ event: eventOf({ said: "{{ email }} {% if %}" }) });
    const { outcomes } = await update(world, project, [arrival]);
    for (let repeat = 0; repeat < 3; repeat++) {
      expect((await update(world, project, [arrival])).outcomes).toEqual(outcomes);
      expect((await contactOf(project, id)).data).toEqual({ plan: "free", said: "{{ email }} {% if %}", n: "2" });
    }
    // What somebody changed since stays as they left it.
    await project.api.patch(`/contacts/${id}`, { data: { said: "mine" } });
    expect((await update(world, project, [arrival])).outcomes).toEqual(outcomes);
    expect((await contactOf(project, id)).data.said).toBe("mine");
  });

  it("has each effect once for a hundred runs, wherever it dies and whoever does it too", async () => {
    const [project, world] = [await newProject(), new World()];
    const step = newStep("UPDATE_CONTACT", { data: { n: "{{ n | plus: 1 }}" }, subscribed: false });
    const arrivals: Arrival<"UPDATE_CONTACT">[] = [];
    for (let n = 0; n < 25; n++) {
      const { id } = await newContact(project, `${n}@example.com`, { data: { n: 0 } });
      arrivals.push(...Array.from({ length: 4 }, () => arrivalAt(step, id)));
    }
    const deaths = [1, 2, 3, 4, 5, 6, 7].flatMap((atStep): Death[] => [
      { atStep, when: "before" },
      { atStep, when: "after" },
    ]);
    for (const death of deaths) {
      await update(world, project, arrivals, death).catch((error) => expect(wasKilled(error)).toBe(true));
    }
    const [one, other] = await Promise.all([update(world, project, arrivals), update(world, project, arrivals)]);
    expect(one.outcomes).toEqual(other.outcomes);
    expect(one.outcomes).toEqual(arrivals.map(() => ({ kind: "done", output: { data: ["n"], subscribed: false } })));
    const { results } = await project.db
      .prepare("SELECT data FROM contacts WHERE project_id = ?")
      .bind(project.id)
      .all();
    expect(results).toEqual(Array(25).fill({ data: '{"n":"4"}' }));
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 25 });
  });

  it("has its effect once, also in a project whose test clock is months behind", async () => {
    const [project, world] = [await newProject({ testClock: true }), new World()];
    const { id } = await newContact(project, "ada@example.com", { data: { n: 1 } });
    world.now += 100 * 86_400_000;
    const arrival = arrivalAt(newStep("UPDATE_CONTACT", { data: { n: "{{ n | plus: 1 }}" } }), id);
    for (let repeat = 0; repeat < 2; repeat++) {
      await update(world, project, [arrival]);
      await world.sweep("*/5 * * * *");
    }
    expect((await contactOf(project, id)).data).toEqual({ n: "2" });
  });

  it("tells of each flip, and what caused it", async () => {
    const { project, world, id, arrive } = await setUp({ subscribed: false });
    await update(world, project, [arrive()]);
    await update(world, project, [arrive()]);
    expect((await contactOf(project, id)).subscribed).toBe(false);
    const back = newStep("UPDATE_CONTACT", { subscribed: true });
    expect((await update(world, project, [arrivalAt(back, id)])).outcomes).toEqual([
      { kind: "done", output: { subscribed: true } },
    ]);
    expect((await contactOf(project, id)).subscribed).toBe(true);
    const { results } = await project.db
      .prepare("SELECT name, causes FROM events WHERE project_id = ? ORDER BY id")
      .bind(project.id)
      .all();
    expect(results).toEqual([
      { name: "contact.unsubscribed", causes: '["workflow-1"]' },
      { name: "contact.subscribed", causes: '["workflow-1"]' },
    ]);
  });

  it.each([
    [
      { data: { a: 1 }, subscribed: true },
      { kind: "done", output: { data: ["a"], ignored: { subscribed: expect.any(String) } } },
    ],
    [
      { subscribed: true },
      { kind: "done", skipped: expect.any(String), output: { ignored: { subscribed: expect.any(String) } } },
    ],
  ])("never lifts a person's own no: %j", async (config, outcome) => {
    const { project, world, id, arrive } = await setUp(config);
    await project.db
      .prepare(
        "UPDATE contacts SET subscribed = 0, opted_out_at = 1, opted_out_by = 'PERSON' WHERE project_id = ? AND id = ?",
      )
      .bind(project.id, id)
      .run();
    const arrival = arrive();
    expect((await update(world, project, [arrival])).outcomes).toEqual([outcome]);
    expect((await update(world, project, [arrival])).outcomes).toEqual([outcome]);
    expect(await contactOf(project, id)).toMatchObject({ subscribed: false });
    expect(await eventCounts(project)).toEqual({});
  });

  it("fails for what a contact cannot have, and changes the others", async () => {
    const [project, world] = [await newProject(), new World()];
    const [ada, bob, eve] = [
      await newContact(project, "ada@example.com", { data: { full: "x".repeat(60_000) } }),
      await newContact(project, "bob@example.com"),
      await newContact(project, "eve@example.com"),
    ];
    const step = newStep("UPDATE_CONTACT", { data: { text: "{{ event.text }}" } });
    const text = "y".repeat(10_000);
    const gone = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
    const runs: [string, string][] = [
      [ada.id, text],
      [bob.id, text],
      [gone, text],
      [eve.id, "a\u0000b"],
    ];
    const arrivals = runs.map(([id, value]) => arrivalAt(step, id, { event: eventOf({ text: value }) }));
    const { outcomes } = await update(world, project, arrivals);
    expect(outcomes).toEqual([
      { kind: "failed", reason: expect.stringContaining("65536 bytes") },
      { kind: "done", output: { data: ["text"] } },
      { kind: "done", skipped: "The contact was deleted" },
      { kind: "failed", reason: expect.stringContaining("data.text: ") },
    ]);
    expect((await update(world, project, arrivals)).outcomes).toEqual(outcomes);
    expect((await contactOf(project, bob.id)).data.text).toBe(text);
    expect((await contactOf(project, ada.id)).data.text).toBeUndefined();
  });

  it("fails run by run when the project has no room for another field", async () => {
    const { project, world, id } = await setUp({});
    await project.db
      .prepare(
        `INSERT INTO contact_fields (project_id, key, type, created_at, is_public)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998) SELECT ?, 'k' || i, 'string', 0, 0 FROM n`,
      )
      .bind(project.id)
      .run();
    const known = newStep("UPDATE_CONTACT", { data: { plan: "pro" } });
    const fresh = newStep("UPDATE_CONTACT", { data: { another: 1 } });
    expect((await update(world, project, [arrivalAt(known, id)])).outcomes).toMatchObject([{ kind: "done" }]);
    expect((await update(world, project, [arrivalAt(fresh, id)])).outcomes).toEqual([
      { kind: "failed", reason: expect.stringContaining("10000 different keys") },
    ]);
  });

  it("fails for Liquid that cannot be rendered, and skips what leaves nothing to write", async () => {
    const { project, world, id } = await setUp({});
    const config = (data: UpdateContactConfig["data"]) => arrivalAt(newStep("UPDATE_CONTACT", { data }), id);
    const outcomeOf = async (data: UpdateContactConfig["data"]) =>
      (await update(world, project, [config(data)])).outcomes[0];
    expect(await outcomeOf({ a: "{{ n | nonsense }}" })).toMatchObject({ kind: "failed" });
    expect(await outcomeOf({ a: "{{ event.gone }}" })).toEqual({
      kind: "done",
      skipped: "There was nothing to change",
    });
  });

  it("writes no row for what the contact has, but the effect", async () => {
    const { project, world, id } = await setUp({});
    const step = newStep("UPDATE_CONTACT", { data: { plan: "free" } });
    const one = await update(world, project, [arrivalAt(step, id)]);
    expect(one.process.rowsWritten).toBe(1);
    const other = newStep("UPDATE_CONTACT", { data: { plan: "pro" } });
    const written = (await update(world, project, [arrivalAt(other, id)])).process.rowsWritten;
    expect(written).toBeLessThanOrEqual(3);
  });
});
