import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import type { TrashType } from "../../src/core/trash";
import { sendCampaign } from "../../src/features/campaigns/send";
import { restoreSegment } from "../../src/features/segments/restore";
import { restoreTemplate } from "../../src/features/templates/restore";
import { purgeTrash } from "../../src/features/trash/purge";
import { backUp, statusOfJob } from "../support/backup";
import { addContacts, newCampaign } from "../support/campaign";
import { wasKilled } from "../support/killable";
import { ledgerOf } from "../support/membership";
import { moves } from "../support/move";
import { admin, newProject, type TestProject } from "../support/project";
import { startRestore } from "../support/restore";
import { eventCounts } from "../support/rows";
import { addMembers, isPro, newContact, newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { endTrash, inTrash, pathOf, putAway, restore } from "../support/trash";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

const hourMs = 3_600_000;
const large = "a".repeat(100_000);

async function hours(world: World, count: number): Promise<void> {
  for (let hour = 0; hour < count; hour++) {
    world.now += hourMs;
    await world.sweep("47 * * * *");
  }
}

/** How many rows the project has in these tables. */
async function rowsIn({ db, number }: TestProject, ...tables: string[]): Promise<number[]> {
  const counts = tables.map((table) =>
    db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`).bind(number).first<number>("n"),
  );
  return (await Promise.all(counts)).map((count) => count ?? 0);
}

async function filesOf({ id }: TestProject): Promise<number> {
  return (await env.BLOBS.list({ prefix: `template/${id}/` })).objects.length;
}

const figuresOf = async ({ api }: TestProject, id: string) =>
  Promise.all(
    ["", "/stats", "/links", "/timeline", "/recipients"].map(
      async (part) => (await api.get(`/campaigns/${id}${part}`)).body,
    ),
  );

async function sentCampaign(world: World, project: TestProject): Promise<string> {
  await addContacts(project, 3);
  const { id } = await newCampaign(project, { body: '<p><a href="https://acme.example/">Look</a></p>' });
  const { ctx } = await world.context(project);
  await sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {});
  await world.pass(5);
  expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("SENT");
  return id;
}

/** A workflow through which one contact has gone. */
async function goneThrough(project: TestProject): Promise<{ id: string; contactId: string }> {
  const workflow = await newWorkflow(project, {
    steps: { exit: ["EXIT", { reason: "Done" }] },
    ways: [["TRIGGER", "exit"]],
  });
  const [id, { id: contactId }] = [publicId(workflow.id), await newContact(project, "ada@example.com")];
  expect((await project.api.post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
  await vi.waitFor(
    async () => {
      const { body } = await project.api.get(`/workflows/${id}/executions?status=EXITED`);
      expect(body.total).toBe(1);
    },
    { timeout: 10_000, interval: 20 },
  );
  return { id, contactId };
}

describe("what is in the trash comes back whole", () => {
  it("a template with its versions and files, however often the sweeps have looked for unused ones", async () => {
    const [world, project] = [new World(), await newProject()];
    const { id } = await newTemplate(project, { body: large });
    await project.api.patch(`/templates/${id}`, { subject: "Second", body: `${large}b` });
    const before = (await project.api.get(`/templates/${id}`)).body;
    await putAway(project, "template", id);
    await hours(world, 48);
    expect([await rowsIn(project, "template_versions"), await filesOf(project)]).toEqual([[2], 2]);
    expect((await restore(project, "template", id)).body).toEqual(before);
  });

  it("a sent campaign with its figures, which count on in the trash", async () => {
    const [world, project] = [new World(), await newProject()];
    const id = await sentCampaign(world, project);
    const before = await figuresOf(project, id);
    expect(before[0].sentCount).toBe(3);
    await putAway(project, "campaign", id);
    expect((await project.api.get("/emails")).body.total).toBe(3);
    await hours(world, 2);
    expect((await restore(project, "campaign", id)).body).toEqual(before[0]);
    expect(await figuresOf(project, id)).toEqual(before);
  });

  it("a workflow with its ended executions, and with who may not enter it again", async () => {
    const project = await newProject();
    const { id, contactId } = await goneThrough(project);
    const lists = [`/workflows/${id}/executions`, `/workflows/${id}/stats`];
    const before = await Promise.all(lists.map(async (path) => (await project.api.get(path)).body));
    expect((await project.api.get(`/contacts/${contactId}/executions`)).body.total).toBe(1);
    await putAway(project, "workflow", id);
    expect((await project.api.get(`/contacts/${contactId}/executions`)).body).toMatchObject({ data: [], total: 0 });
    await new World().pass(5);
    expect((await restore(project, "workflow", id)).body.enabled).toBe(false);
    expect(await Promise.all(lists.map(async (path) => (await project.api.get(path)).body))).toEqual(before);
    expect((await project.api.get(`/contacts/${contactId}/executions`)).body.total).toBe(1);
    expect((await project.api.post(`/workflows/${id}/executions`, { contactId })).status).toBe(409);
  });

  it("a tracked segment, which records events only of contacts that entered or left meanwhile", async () => {
    const [world, project] = [new World(), await newProject()];
    const segment = await newSegment(project, { trackMembership: true });
    const stays = await newContact(project, "stays@example.com", { data: { plan: "pro" } });
    const leaves = await newContact(project, "leaves@example.com", { data: { plan: "pro" } });
    await world.pass(10);
    expect(await ledgerOf(project, segment)).toEqual({ members: 2, entries: 2, exits: 0, wrong: 0 });
    await putAway(project, "segment", segment.id);
    await project.api.patch(`/contacts/${leaves.id}`, { data: { plan: "free" } });
    await newContact(project, "enters@example.com", { data: { plan: "pro" } });
    await world.pass(10);
    expect(await ledgerOf(project, segment)).toEqual({ members: 2, entries: 2, exits: 0, wrong: 0 });
    expect((await restore(project, "segment", segment.id)).body.memberCount).toBe(2);
    await world.pass(10);
    expect(await ledgerOf(project, segment)).toEqual({ members: 2, entries: 3, exits: 1, wrong: 0 });
    expect((await project.api.get(`/contacts/${stays.id}/segments`)).body.data).toHaveLength(1);
  });

  it("a segment whose members were being recorded without events, still without them", async () => {
    const [world, project] = [new World(), await newProject()];
    const segment = await newSegment(project);
    await newContact(project, "ada@example.com", { data: { plan: "pro" } });
    await project.api.patch(`/segments/${segment.id}`, { trackMembership: true });
    // As if the computation had only begun.
    await project.db.prepare("DELETE FROM segment_members WHERE project_id = ?").bind(project.number).run();
    const jobId = await project.db
      .prepare("SELECT id FROM jobs WHERE project_id = ? AND type = 'segments.compute'")
      .bind(project.number)
      .first<string>("id");
    await project.db
      .prepare(
        "UPDATE jobs SET status = 'queued', completed_at = NULL, next_announce_at = 0, state = '{\"silent\":true,\"generation\":1}' WHERE project_id = ? AND id = ?",
      )
      .bind(project.number, jobId)
      .run();
    await project.db
      .prepare("UPDATE segments SET compute_job_id = ?, computed_at = NULL WHERE project_id = ?")
      .bind(jobId, project.number)
      .run();
    await putAway(project, "segment", segment.id);
    await world.pass(5);
    expect((await project.api.get(`/jobs`)).body.data).toMatchObject([{ status: "completed" }]);
    await restore(project, "segment", segment.id);
    await world.pass(10);
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 1, entries: 0, exits: 0 });
  });
});

describe("a project with a full trash", () => {
  async function filled() {
    const [world, project] = [new World(), await newProject()];
    const { id: campaign } = await newCampaign(project, { body: `<p>${large}</p>` });
    const { id } = await newWorkflow(project, { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] });
    const workflow = publicId(id);
    const before = (await project.api.get(`/campaigns/${campaign}`)).body;
    await putAway(project, "campaign", campaign);
    await putAway(project, "workflow", workflow);
    return { world, project, campaign, workflow, before };
  }

  it("moves with it", async () => {
    const { world, project, campaign, workflow, before } = await filled();
    await moves(world, project);
    expect((await restore(project, "campaign", campaign)).body).toEqual(before);
    expect((await restore(project, "workflow", workflow)).status).toBe(200);
  });

  it("has it in its backups", async () => {
    const { world, project, campaign, workflow, before } = await filled();
    const copy = await startRestore(world, await backUp(world, project));
    await world.drain();
    expect(await statusOfJob(copy, copy.jobId)).toBe("completed");
    expect(await inTrash(copy)).toHaveLength(2);
    expect((await admin.patch(`/admin/projects/${copy.id}`, { disabled: false })).status).toBe(200);
    const { status, body } = await restore(copy, "campaign", campaign);
    expect([status, body.body === before.body, body.projectId]).toEqual([200, true, copy.id]);
    expect((await restore(copy, "workflow", workflow)).body.steps).toHaveLength(2);
  });
});

describe("what was deleted 30 days ago", () => {
  const tables = [
    ...["templates", "template_versions", "campaigns", "campaign_pages", "campaign_counts", "campaign_links"],
    ...[
      "segments",
      "segment_members",
      "workflows",
      "workflow_steps",
      "workflow_executions",
      "execution_counts",
      "trash",
    ],
  ];

  /** A resource of each type in the trash, with everything that stays for it. */
  async function filled(world: World): Promise<{ project: TestProject; ids: Record<TrashType, string> }> {
    const project = await newProject({ tracking: "ENABLED" });
    const campaign = await sentCampaign(world, project);
    const { id: workflow } = await goneThrough(project);
    const { id: segment } = await newSegment(project, { type: "STATIC", condition: undefined });
    await addMembers(project, segment, { emails: ["ada@example.com"] });
    const { id: template } = await newTemplate(project, { body: large });
    const ids = { template, campaign, segment, workflow };
    for (const type of Object.keys(ids) as TrashType[]) await putAway(project, type, ids[type]);
    return { project, ids };
  }

  it("is deleted for good with all that stayed for it, and nothing before", async () => {
    const world = new World();
    const { project } = await filled(world);
    await hours(world, 2);
    await world.pass(5);
    const before = await rowsIn(project, ...tables);
    expect(before.filter((count) => count > 0)).toHaveLength(8);
    await endTrash(project);
    await world.pass(5);
    await hours(world, 2);
    await world.pass(10);
    await vi.waitFor(async () => expect(await rowsIn(project, ...tables)).toEqual(tables.map(() => 0)), 10_000);
    expect(await filesOf(project)).toBe(0);
    expect((await project.api.get("/emails")).body.total).toBe(3);
  });

  it("is deleted once, wherever the sweep dies", async () => {
    const world = new World();
    const { project } = await filled(world);
    await endTrash(project);
    for (const when of ["before", "after"] as const) {
      for (let atStep = 1; atStep < 6; atStep++) {
        await purgeTrash(world.process({ atStep, when }).platform).catch((error: unknown) => {
          if (!wasKilled(error)) throw error;
        });
      }
    }
    await hours(world, 2);
    await world.pass(10);
    await vi.waitFor(async () => expect(await rowsIn(project, ...tables)).toEqual(tables.map(() => 0)), 10_000);
    const jobs = await project.db
      .prepare("SELECT type, count(*) AS n FROM jobs WHERE project_id = ? GROUP BY type ORDER BY type")
      .bind(project.number)
      .all();
    expect(jobs.results).toEqual([
      { type: "segments.delete-members", n: 1 },
      { type: "workflows.forget", n: 1 },
    ]);
  });

  it("stays whole if it is restored, and deleted again, while the sweep begins", async () => {
    const world = new World();
    const { project, ids } = await filled(world);
    const before = await rowsIn(project, ...tables);
    for (const [type, id] of Object.entries(ids)) {
      // The sweep has read the entry when the restore takes it out.
      await project.db
        .prepare("UPDATE trash SET purge_at = 0 WHERE project_id = ? AND type = ?")
        .bind(project.number, type)
        .run();
      world.fault = {
        meet: async (trip, make) => {
          if (trip.writes) {
            world.fault = null;
            await project.db
              .prepare("UPDATE trash SET purge_at = 9e15 WHERE project_id = ?")
              .bind(project.number)
              .run();
            expect((await restore(project, type, id)).status).toBe(200);
            await putAway(project, type as TrashType, id);
          }
          return make();
        },
      };
      await purgeTrash(world.process().platform);
      expect(world.fault).toBeNull();
      expect((await restore(project, type, id)).status).toBe(200);
      expect((await project.api.get(`${pathOf[type as TrashType]}/${id}`)).status).toBe(200);
      await project.db.prepare("UPDATE trash SET purge_at = 9e15 WHERE project_id = ?").bind(project.number).run();
    }
    await world.pass(5);
    const whole = ["template_versions", "campaign_pages", "campaign_counts", "segment_members", "workflow_executions"];
    expect(await rowsIn(project, ...whole)).toEqual(whole.map((table) => before[tables.indexOf(table)]));
    expect(await inTrash(project)).toEqual([]);
  });
});

it("a restore whose answer is lost is done once, and one that is killed is done or not", async () => {
  const [world, project] = [new World(), await newProject()];
  const { id } = await newTemplate(project);
  const segment = await newSegment(project, { condition: isPro });
  for (const when of ["before", "after"] as const) {
    await putAway(project, "template", id);
    for (let atStep = 1; atStep < 5; atStep++) {
      const { ctx } = await world.context(project, { atStep, when });
      await restoreTemplate(ctx, readId(id)).catch((error: unknown) => expect(wasKilled(error) || error).toBeTruthy());
      const isBack = (await project.api.get(`/templates/${id}`)).status === 200;
      expect(await inTrash(project)).toHaveLength(isBack ? 0 : 1);
      if (isBack) break;
    }
    expect((await project.api.get(`/templates/${id}`)).status).toBe(200);
  }
  await putAway(project, "segment", segment.id);
  const { ctx } = await world.context(project);
  expect((await restoreSegment(ctx, readId(segment.id))).id).toBe(segment.id);
  expect(await eventCounts(project)).toEqual({});
});
