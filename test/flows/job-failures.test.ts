import { describe, expect, it } from "vitest";
import { asId, publicId, readId } from "../../src/core/ids";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { deleteContact } from "../../src/features/contacts/delete";
import { deleteField } from "../../src/features/contacts/fields/delete";
import { maxLive } from "../../src/features/contacts/fields/live";
import { startImport } from "../../src/features/contacts/import/start";
import { deleteEvents } from "../../src/features/events/delete";
import { deleteProject } from "../../src/features/projects/delete";
import { computeSegment } from "../../src/features/segments/compute";
import { countSegment } from "../../src/features/segments/count";
import { deleteSegment } from "../../src/features/segments/delete";
import { updateSegment } from "../../src/features/segments/update";
import { addEvents } from "../support/events";
import { wasKilled } from "../support/killable";
import { addContacts, ledgerOf, segmentRow, setPlan } from "../support/membership";
import { admin, newProject, type TestProject } from "../support/project";
import { isPro, newSegment } from "../support/segment";
import { emptyTrash } from "../support/trash";
import { World } from "../support/world";

const hourMs = 3_600_000;
const givenUp = expect.stringContaining("failed repeatedly for a day");

async function contextOf(world: World, project: TestProject) {
  return (await world.context(project)).ctx;
}

function jobIn(answer: unknown): string {
  if (typeof answer === "object" && answer !== null && "jobId" in answer) return String(answer.jobId);
  throw new Error("No job was started");
}

/** The job's columns as they are, ids among them as rows hold them. */
function rowOf(project: TestProject, jobId: string) {
  return project.db.prepare("SELECT * FROM jobs WHERE project_id = ? AND id = ?").bind(project.id, jobId).first();
}

/** From now on every step of the job throws. */
async function breakState(project: TestProject, jobId: string): Promise<void> {
  const change = `UPDATE jobs SET state = '{"broken":true}' WHERE project_id = ? AND id = ?`;
  await project.db.prepare(change).bind(project.id, jobId).run();
}

/** A run that fails, after so many hours. */
async function fail(world: World, hours: number): Promise<void> {
  world.now += hours * hourMs;
  await world.sweep();
  await expect(world.drain()).rejects.toThrow();
  world.queue = [];
}

/** A run that comes after so many hours, whatever becomes of it. */
async function runAfter(world: World, hours: number): Promise<void> {
  world.now += hours * hourMs;
  await world.sweep();
  await world.drain();
}

interface Kind {
  type: string;
  /** Whatever a call or the sweep needs to find something to do. */
  given?(project: TestProject): Promise<unknown>;
  /** The call or sweep that starts the job; it is the same one that does so after the failure. Returns the job. */
  start(world: World, project: TestProject): Promise<string>;
  breakIt?(project: TestProject, jobId: string): Promise<void>;
  mend?(project: TestProject): Promise<void>;
  /** What the failure leaves. */
  left?(project: TestProject, jobId: string): Promise<void>;
}

const pro = { name: "pro", condition: isPro };
const segmentOf = async (project: TestProject) => (await project.api.get("/segments")).body[0];

const givingUp: Kind[] = [
  {
    type: "contacts.import",
    async start(world, project) {
      const file = new TextEncoder().encode("email,n\nada@example.com,1\n");
      return publicId(await startImport(await contextOf(world, project), file));
    },
    async left(project, jobId) {
      const { body } = await project.api.get(`/contacts/import/${jobId}`);
      expect(body).toMatchObject({ status: "failed", imported: 0, errors: [], reason: givenUp });
    },
  },
  {
    type: "contacts.bulk",
    given: (project) => project.api.post("/contacts", { email: "ada@example.com" }),
    async start(world, project) {
      const contactIds = [readId((await project.api.get("/contacts")).body.data[0].id)];
      return publicId(await startBulk(await contextOf(world, project), "unsubscribe", { contactIds }));
    },
    async left(project, jobId) {
      const { body } = await project.api.get(`/contacts/bulk/${jobId}`);
      expect(body).toMatchObject({ status: "failed", succeeded: 0, errors: [], reason: givenUp });
    },
  },
  {
    type: "contacts.delete-field",
    async given(project) {
      await addContacts(project, 1, 10_001);
      await setPlan(project, "c1@example.com", "pro");
    },
    start: async (world, project) => jobIn(await deleteField(await contextOf(world, project), "data.plan")),
    // It is known again: else nobody could delete it any more.
    async left(project) {
      const { body } = await project.api.get("/contacts/fields");
      expect(body.fields).toContainEqual(expect.objectContaining({ field: "data.plan", type: "string" }));
    },
  },
  {
    type: "contacts.count-fields",
    async given(project) {
      await setPlan(project, "ada@example.com", "pro");
      await setData(project, '{"plan":"pro"}');
    },
    async start(world) {
      await world.sweep("17 * * * *");
      return "contacts.count-fields";
    },
    // It begins again from a state that it does not know.
    breakIt: (project) => setData(project, "{"),
    mend: (project) => setData(project, '{"plan":"pro"}'),
  },
  {
    type: "events.delete",
    given: (project) => addEvents(project, { name: "view", count: 10_001, at: Date.now() - 20_000 }),
    start: async (world, project) => jobIn(await deleteEvents(await contextOf(world, project), "view")),
  },
  {
    type: "segments.compute",
    async given(project) {
      await addContacts(project, 1, 10_001);
      await newSegment(project, { ...pro, trackMembership: true });
    },
    async start(world, project) {
      const segment = await segmentRow(world, project, await segmentOf(project));
      return publicId(asId(jobIn(await computeSegment(await contextOf(world, project), segment))));
    },
  },
  {
    type: "segments.count",
    async given(project) {
      await addContacts(project, 1, 25_001);
      await newSegment(project, pro);
    },
    async start(world, project) {
      const segment = await segmentRow(world, project, await segmentOf(project));
      return jobIn(await countSegment(await contextOf(world, project), segment));
    },
  },
];

/** Of the one contact there is, in a project that says it is large. */
async function setData(project: TestProject, data: string): Promise<void> {
  await project.db.prepare("UPDATE contacts SET data = ? WHERE project_id = ?").bind(data, project.id).run();
  const counts = project.db.prepare("UPDATE project_counts SET contacts = ? WHERE project_id = ?");
  await counts.bind(maxLive + 1, project.id).run();
}

describe("a job whose runs fail for a day", () => {
  it.each(givingUp)("is failed, with a reason, and can be started anew: $type", async (kind) => {
    const [project, world] = [await newProject(), new World()];
    await kind.given?.(project);
    const jobId = await kind.start(world, project);
    world.queue = [];
    await (kind.breakIt ?? breakState)(project, jobId);
    await fail(world, 1);
    const failing = await rowOf(project, jobId);
    expect(failing).toMatchObject({ type: kind.type, status: "processing", failing_since: world.now, reason: null });
    await fail(world, 23);
    world.logged = [];
    await runAfter(world, 4);
    expect(world.logged).toEqual(["A job was given up after a day of failing"]);
    expect(await rowOf(project, jobId)).toMatchObject({
      status: "failed",
      reason: givenUp,
      completed_at: world.now,
      next_announce_at: null,
      failing_since: failing?.failing_since,
    });
    if (!jobId.includes("count")) {
      const { body } = await project.api.get(`/jobs/${jobId}`);
      const errors = [{ reason: givenUp }];
      expect(body).toMatchObject({ status: "failed", errors, completedAt: new Date(world.now).toISOString() });
    }
    await kind.left?.(project, jobId);

    await kind.mend?.(project);
    const next = await kind.start(world, project);
    await world.drain();
    const row = await rowOf(project, next);
    // A count that nobody follows leaves no row.
    if (kind.type === "segments.count") expect(row).toBeNull();
    else expect(row).toMatchObject({ status: "completed", reason: null, failing_since: null });
  });

  it("counts from the last step that was made: one that moves now and then is never given up", async () => {
    const [project, world] = [await newProject(), new World()];
    await addEvents(project, { name: "view", count: 10_001, at: world.now - 20_000 });
    const jobId = jobIn(await deleteEvents(await contextOf(world, project), "view"));
    const stateOf = async () => (await rowOf(project, jobId))?.state;
    const setState = (state: unknown) =>
      project.db.prepare("UPDATE jobs SET state = ? WHERE id = ?").bind(state, jobId).run();
    world.queue = [];
    for (let days = 0; days < 3; days++) {
      const before = await stateOf();
      await breakState(project, jobId);
      await fail(world, 20);
      await setState(before);
      world.now += 7 * hourMs;
      await world.sweep();
      // Finds the project, takes the job, deletes the next thousand; and dies.
      await world.runAndDie({ atStep: 4, when: "before" });
      world.queue = [];
      expect(await rowOf(project, jobId)).toMatchObject({ status: "processing", failing_since: null });
    }
    await runAfter(world, 7);
    expect(await rowOf(project, jobId)).toMatchObject({ status: "completed" });
  });

  it("ends once, wherever the run that gives it up dies", async () => {
    // Finds the project, takes the job, takes note, gives up.
    for (const atStep of [1, 2, 3, 4]) {
      for (const when of ["before", "after"] as const) {
        const [project, world] = [await newProject(), new World()];
        await addContacts(project, 1, 10_001);
        await setPlan(project, "c1@example.com", "pro");
        const jobId = jobIn(await deleteField(await contextOf(world, project), "data.plan"));
        await breakState(project, jobId);
        world.queue = [];
        await fail(world, 1);
        world.now += 25 * hourMs;
        await world.sweep();
        // What the run threw first is what it throws: it may not be that it was killed.
        await world.runAndDie({ atStep, when }).catch((error) => {
          if (wasKilled(error)) throw error;
        });
        world.queue = [];
        const isEnded = atStep === 4 && when === "after";
        expect((await rowOf(project, jobId))?.status, `${when} ${atStep}`).toBe(isEnded ? "failed" : "processing");
        const { fields } = (await project.api.get("/contacts/fields")).body;
        expect(fields.some(({ field }: { field: string }) => field === "data.plan")).toBe(isEnded);
        await runAfter(world, 7);
        expect((await rowOf(project, jobId))?.status).toBe("failed");
      }
    }
  });

  it("was to take members silently: so does the next one, and who calls is told what came after", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 10_001);
    const segment = await newSegment(project, pro);
    await updateSegment(await contextOf(world, project), readId(segment.id), { trackMembership: true });
    const job = String((await segmentRow(world, project, segment)).computeJobId);
    const broken = "UPDATE jobs SET state = json_set(state, '$.batches', 'none') WHERE project_id = ? AND id = ?";
    await project.db.prepare(broken).bind(project.id, job).run();
    world.queue = [];
    await fail(world, 1);
    world.now += 25 * hourMs;
    await world.sweep();
    await world.drain();
    expect(await rowOf(project, job)).toMatchObject({ status: "failed" });

    const row = await segmentRow(world, project, segment);
    const next = jobIn(await computeSegment(await contextOf(world, project), row));
    await world.drain();
    expect(await rowOf(project, next)).toMatchObject({ status: "completed" });
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 5_000, entries: 0, exits: 0 });
    await setPlan(project, "c1@example.com", "pro");
    await computeSegment(await contextOf(world, project), await segmentRow(world, project, segment));
    await world.drain();
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 5_001, entries: 1, exits: 0 });
  });
});

describe("work that nobody could ask for again", () => {
  async function tryForDays(world: World): Promise<void> {
    await fail(world, 1);
    for (const _ of [1, 2, 3]) await fail(world, 24);
  }

  it("is never given up: what is left of an erased person", async () => {
    const [project, world] = [await newProject(), new World()];
    const { body: person } = await project.api.post("/contacts", { email: "ada@example.com" });
    await addEvents(project, { name: "view", count: 1_001, at: world.now - 2_000, contacts: [person.id] });
    await deleteContact(await contextOf(world, project), readId(person.id));
    const job = await project.db.prepare("SELECT id, state FROM jobs WHERE project_id = ?").bind(project.id).first();
    await breakState(project, String(job?.id));
    await tryForDays(world);
    await project.db.prepare("UPDATE jobs SET state = ? WHERE id = ?").bind(job?.state, job?.id).run();
    await runAfter(world, 24);
    expect(await rowOf(project, String(job?.id))).toMatchObject({ status: "completed" });
  });

  it("is never given up: the members of a segment that is gone", async () => {
    const [project, world] = [await newProject(), new World()];
    const segment = await newSegment(project, { name: "list", type: "STATIC" });
    const members = `INSERT INTO segment_members (project_id, segment_id, contact_id, created_at)
      SELECT ?, ?, 'c' || value, 0 FROM json_each(?)`;
    const numbers = JSON.stringify(Array.from({ length: 1_001 }, (_, n) => n));
    await project.db.prepare(members).bind(project.id, segment.id, numbers).run();
    await deleteSegment(await contextOf(world, project), readId(segment.id));
    await emptyTrash(world, project);
    const job = await project.db.prepare("SELECT id, input FROM jobs WHERE project_id = ?").bind(project.id).first();
    const setInput = (input: unknown) =>
      project.db.prepare("UPDATE jobs SET input = ? WHERE id = ?").bind(input, job?.id).run();
    await setInput("{}");
    await tryForDays(world);
    await setInput(job?.input);
    await runAfter(world, 24);
    expect(await rowOf(project, String(job?.id))).toMatchObject({ status: "completed" });
  });

  it("is never given up: a project that was deleted", async () => {
    const [project, world] = [await newProject({}, "DB_01"), new World()];
    const { jobId } = await deleteProject(world.process().platform, project.id);
    world.queue = [];
    world.outShard = "DB_01";
    for (const hours of [1, 24, 24, 24]) {
      world.now += hours * hourMs;
      await world.sweep();
      await expect(world.drain()).rejects.toThrow("does not answer");
      world.queue = [];
    }
    world.outShard = null;
    await runAfter(world, 24);
    expect((await admin.get(`/admin/jobs/${jobId}`)).body).toMatchObject({ status: "completed", errors: [] });
  });
});
