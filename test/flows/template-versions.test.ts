import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newCampaign } from "../support/campaign";
import { newProject, type TestProject } from "../support/project";
import { emailIds } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { endTrash } from "../support/trash";
import { World } from "../support/world";

const hourMs = 3_600_000;
const large = (letter: string) => letter.repeat(100_000);

async function versionsOf(project: TestProject): Promise<number> {
  const count = await project.db
    .prepare("SELECT count(*) AS n FROM template_versions WHERE project_id = ?")
    .bind(project.number)
    .first<number>("n");
  return count ?? 0;
}

async function filesOf({ id }: TestProject): Promise<number> {
  return (await env.BLOBS.list({ prefix: `template/${id}/` })).objects.length;
}

/** A day, or some hours, with its hourly sweeps. */
async function aDay(world = new World(), hours = 24): Promise<World> {
  for (let hour = 0; hour < hours; hour++) {
    world.now += hourMs;
    await world.sweep("*/5 * * * *");
    await world.sweep("47 * * * *");
  }
  return world;
}

const rest = { subject: undefined, body: undefined, from: undefined };

describe("a version of a template that nothing names", () => {
  it("goes within a day, and not within an hour, with its file", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body: large("a") });
    for (let n = 0; n < 5; n++)
      await project.api.patch(`/templates/${id}`, { subject: `Version ${n}`, body: large(String(n)) });
    const world = new World();
    await world.sweep("47 * * * *");
    expect([await versionsOf(project), await filesOf(project)]).toEqual([6, 6]);
    await aDay(world);
    expect([await versionsOf(project), await filesOf(project)]).toEqual([1, 1]);
    expect((await project.api.get(`/templates/${id}`)).body).toMatchObject({ subject: "Version 4", body: large("4") });
  });

  it("goes with its template, when that is deleted for good", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body: large("a") });
    await project.api.patch(`/templates/${id}`, { subject: "Second" });
    await project.api.delete(`/templates/${id}`);
    const world = await aDay();
    expect([await versionsOf(project), await filesOf(project)]).toEqual([2, 1]);
    await endTrash(project);
    await aDay(world, 8);
    expect([await versionsOf(project), await filesOf(project)]).toEqual([0, 0]);
  });
});

describe("a version of a template stays", () => {
  it("while a mail is kept that was accepted with it, and goes within a day after", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { type: "TRANSACTIONAL", body: "<p>Old</p>" });
    const [sent = ""] = emailIds(await project.api.send({ ...rest, template: id }));
    const [left] = emailIds(
      await project.api.send({ ...rest, template: id, scheduledAt: new Date(Date.now() + 86_400_000).toISOString() }),
    );
    await project.api.patch(`/templates/${id}`, { body: "<p>New</p>" });
    await project.api.delete(`/templates/${id}`);
    await endTrash(project);
    const world = await aDay();
    expect(await versionsOf(project)).toBe(1);
    expect((await project.api.get(`/emails/${sent}/content`)).body.html).toContain("Old");
    expect(left).toBeDefined();
    await project.db
      .prepare("UPDATE emails SET status = 'SENT', ended_at = NULL, scheduled_at = NULL WHERE project_id = ?")
      .bind(project.number)
      .run();
    world.now += 91 * 24 * hourMs;
    await aDay(world);
    expect(await versionsOf(project)).toBe(0);
  });

  it("while a later version, a copy or a campaign has its file", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newTemplate(project, { body: large("a") });
    await project.api.patch(`/templates/${id}`, { subject: "The same body" });
    const copy = (await project.api.post(`/templates/${id}/duplicate`)).body;
    const campaign = await newCampaign(project, {
      templateId: id,
      subject: undefined,
      body: undefined,
      from: undefined,
    });
    await project.api.delete(`/templates/${id}`);
    await endTrash(project);
    await aDay(world, 14);
    expect([await versionsOf(project), await filesOf(project)]).toEqual([2, 1]);
    expect((await project.api.get(`/templates/${copy.id}`)).body.body).toBe(large("a"));
    await project.api.delete(`/templates/${copy.id}`);
    await endTrash(project);
    await aDay(world, 14);
    expect(await filesOf(project)).toBe(1);
    expect((await project.api.get(`/campaigns/${campaign.id}`)).body.body).toBe(large("a"));
    expect((await project.api.delete(`/campaigns/${campaign.id}`)).status).toBe(204);
    await aDay(world, 8);
    // The campaign can still be restored, and then needs the file.
    expect(await filesOf(project)).toBe(1);
    await endTrash(project);
    await aDay(world, 14);
    expect([await versionsOf(project), await filesOf(project)]).toEqual([0, 0]);
  });
});
