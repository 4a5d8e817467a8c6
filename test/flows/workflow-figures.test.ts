import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { publicId, readId, textOf } from "../../src/core/ids";
import type { Hit } from "../../src/core/tracking/hit";
import { openBatch } from "../../src/db/batch";
import { isStillSubscribed, updateLeftBy } from "../../src/engine/campaigns/left";
import { countMails } from "../../src/engine/workflows/count-mails";
import { handleMessage } from "../../src/queue";
import { newProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newTemplate } from "../support/template";
import { addressOf, awaitingPurchase, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

/** Three contacts have the mail of a step. */
async function mailed() {
  const [project, world] = [await newProject({ tracking: "ENABLED" }), new World()];
  const template = await newTemplate(project, { type: "TRANSACTIONAL" });
  const workflow = await newWorkflow(project, {
    steps: { mail: ["SEND_EMAIL", {}, { templateId: template.id }] },
    ways: [["TRIGGER", "mail"]],
  });
  for (const name of ["a", "b", "c"]) await track(world, project, "signup", { email: `${name}@example.com` });
  await world.drain();
  const emails = (await emailRows(project)).map(({ id }) => readId(id));
  const stats = async () => {
    const { body } = await project.api.get(`/workflows/${publicId(workflow.id)}/stats`);
    return body.steps.find(({ type }: { type: string }) => type === "SEND_EMAIL");
  };
  return { project, world, workflow, emails, stats };
}

describe("the statistics of a workflow", () => {
  it("say what became of the emails of a step, each once", async () => {
    const { project, world, emails, stats } = await mailed();
    const [one, two] = emails;
    if (!one || !two) throw new Error("Nothing was mailed");
    expect(await stats()).toMatchObject({
      completed: 3,
      sent: 3,
      delivered: 0,
      opened: 0,
      clicked: 0,
      unsubscribed: 0,
    });
    const hit = (id: string, emailId: Hit["emailId"], kind: Hit["kind"]): Hit => ({
      ...{ id, emailId, kind, at: world.now, isAutomated: false },
    });
    const hits = [hit("1", one, "open"), hit("2", one, "click"), hit("3", two, "open"), hit("4", two, "open")];
    for (let time = 0; time < 2; time++)
      await handleMessage(world.process().platform, { type: "tracking.record", projectId: project.number, hits });
    const { ctx } = await world.context(project);
    for (let time = 0; time < 2; time++) {
      const batch = openBatch(ctx);
      batch.addAll(updateLeftBy(ctx, one, isStillSubscribed));
      await batch.commit();
    }
    const after = await stats();
    expect(after).toMatchObject({ sent: 3, delivered: 2, opened: 2, clicked: 1, bounced: 0, complained: 0 });
    expect(after.unsubscribed).toBe(1);
    expect(after).not.toHaveProperty("approximate");
  });

  it("reckon the emails of a step from the newest when there are too many to read", async () => {
    const { project, world, workflow } = await mailed();
    const [first] = await emailRows(project);
    await project.db
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12600)
        INSERT INTO emails (project_id, id, content_id, contact_id, effect_id, to_email, source, status, created_at, sent_at)
        SELECT project_id, printf('zz%020d', i), content_id, printf('c%021d', i), printf('e%021d', i) || ':' || ?2,
          to_email, source, status, created_at, sent_at FROM emails CROSS JOIN n WHERE project_id = ?1 AND id = ?3`,
      )
      .bind(project.number, textOf(workflow.steps.mail as never), textOf(readId(first?.id ?? "")))
      .run();
    const { ctx } = await world.context(project);
    const counts = await countMails(ctx, workflow.steps.mail as never, 25_000);
    expect(counts).toMatchObject({ sent: 25_000, delivered: 0, approximate: true });
  });

  it("count branches, and show the counts again after the object was evicted", async () => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWorkflow(project, awaitingPurchase());
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    await track(world, project, "purchase");
    await world.drain();
    const branches = async () => {
      const { body } = await project.api.get(`/workflows/${publicId(workflow.id)}/stats`);
      return body.steps.find(({ type }: { type: string }) => type === "WAIT_FOR_EVENT").branches;
    };
    const taken = [
      { branch: "event", count: 1 },
      { branch: "timeout", count: 0 },
    ];
    expect(await branches()).toEqual(taken);
    const stub = shardStub(addressOf(project, contactId));
    await evictDurableObject(stub);
    expect(await branches()).toEqual(taken);
  });
});
