import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { newId, readId } from "../../src/core/ids";
import { forgetOrphans } from "../../src/engine/mail/forget/orphans";
import { startImport } from "../../src/features/contacts/import/start";
import { forgetVersions } from "../../src/features/templates/forget-versions";
import { newCampaign, putCampaign } from "../support/campaign";
import { framed } from "../support/framed";
import { admin, newProject, type TestProject } from "../support/project";
import { emailIds, mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { emptyTrash } from "../support/trash";
import { World } from "../support/world";

const hourMs = 3_600_000;
const large = "x".repeat(100_000);

async function put(...keys: string[]): Promise<void> {
  for (const key of keys) await env.BLOBS.put(key, "garbage");
}

async function keysOf(project: TestProject): Promise<string[]> {
  return (await env.BLOBS.list()).objects.map(({ key }) => key).filter((key) => key.includes(project.id));
}

/** The hourly sweep, so many hours after now. */
async function sweepIn(hours: number): Promise<World> {
  const world = new World();
  world.now += hours * hourMs;
  await world.sweep("17 * * * *");
  return world;
}

/** What a request leaves that dies between its file and its row. */
function orphansOf({ id }: { id: string }): string[] {
  const row = crypto.randomUUID();
  const attachments = [0, 1].map((index) => `attachment/${id}/${row}/${index}`);
  return [...attachments, ...["content", "import", "template"].map((kind) => `${kind}/${id}/${row}`)];
}

describe("a file whose row was never written", () => {
  it("is removed once it is a day old", async () => {
    const project = await newProject();
    const orphans = orphansOf(project);
    await put(...orphans);
    await sweepIn(23);
    expect(await keysOf(project)).toEqual(orphans);
    const { logged } = await sweepIn(25);
    expect(await keysOf(project)).toEqual([]);
    expect(logged).toEqual(["Files without a row were removed"]);
  });

  it("is left alone when it may be somebody else's: of an unknown project, of another kind, of another shape", async () => {
    const stranger = { id: crypto.randomUUID() };
    const project = await newProject();
    const others = [`logo/${project.id}/${crypto.randomUUID()}`, `content/${project.id}`, "content", "a/b/c/d/e"];
    const orphans = orphansOf(stranger);
    await put(...orphans, ...others);
    await sweepIn(25);
    const kept = (await env.BLOBS.list()).objects.map(({ key }) => key);
    expect(kept).toEqual(expect.arrayContaining(others));
    expect(kept.filter((key) => key.includes(stranger.id))).toEqual(orphans);
  });

  it("is left to the erasure of its project when that has begun", async () => {
    const project = await newProject();
    const orphans = orphansOf(project);
    await put(...orphans);
    await env.DB.prepare("UPDATE projects SET deleted_at = 1 WHERE id = ?").bind(project.id).run();
    await sweepIn(25);
    expect(await keysOf(project)).toEqual(orphans);
  });
});

describe("a file that has its row", () => {
  it("stays, however old, and is in the mail that is sent then", async () => {
    const project = await newProject();
    const attachments = [1, 2].map((n) => ({ filename: `${n}.txt`, content: btoa(large), contentType: "text/plain" }));
    const [sent = ""] = emailIds(await project.api.send({ body: large, attachments }));
    await mailOf(project, sent);
    const { id } = await newTemplate(project, { type: "TRANSACTIONAL", body: large });
    const { body: copy } = await project.api.post(`/templates/${id}/duplicate`);
    await project.api.patch(`/templates/${id}`, { subject: "The second version with this body" });
    await project.api.delete(`/templates/${id}`);
    const { ctx } = await new World().context(project);
    await startImport(ctx, new TextEncoder().encode("email\nada@example.com"));
    const before = await keysOf(project);
    expect(before.map((key) => key.split("/")[0])).toEqual([
      "attachment",
      "attachment",
      "content",
      "import",
      "outbox",
      "template",
    ]);
    const orphans = orphansOf(project);
    await put(...orphans);

    await sweepIn(24 * 400);
    expect(await keysOf(project)).toEqual(before);
    expect((await mailOf(project, sent)).html).toBe(framed(large));
    const rest = { subject: undefined, body: undefined, from: undefined };
    const [again = ""] = emailIds(await project.api.send({ ...rest, template: copy.id }));
    expect((await mailOf(project, again)).html).toBe(framed(large));
  });
});

/** A campaign of which both variants have a large body of their own. */
function newCampaignOfThree(project: TestProject) {
  const variants = ["a", "b"].map((name) => ({ name, weight: 50, body: `${name}${large}` }));
  return newCampaign(project, { body: `own${large}`, variants });
}

const bodiesOf = async ({ api }: TestProject, id: string) => {
  const { body, variants } = (await api.get(`/campaigns/${id}`)).body;
  return [body, ...variants.map((variant: { body: string }) => variant.body)].map((text: string) => text.slice(0, 5));
};

describe("a file with a body of a campaign", () => {
  it("is removed a day after another body has replaced it, and the present ones stay", async () => {
    const project = await newProject();
    const { id } = await newCampaignOfThree(project);
    const first = await keysOf(project);
    expect(first).toHaveLength(3);
    const own = await putCampaign(project, id, { body: `new${large}` });
    expect(own.status).toBe(200);
    const [a, b] = own.body.data.variants;
    await putCampaign(project, id, {
      variants: [
        { ...a, body: `two${large}` },
        { ...b, body: "small" },
      ],
    });
    expect(await keysOf(project)).toHaveLength(5);
    await sweepIn(23);
    expect(await keysOf(project)).toHaveLength(5);
    await sweepIn(25);
    const kept = await keysOf(project);
    expect(kept).toHaveLength(2);
    expect(first.filter((key) => kept.includes(key))).toEqual([]);
    expect(await bodiesOf(project, id)).toEqual(["newxx", "twoxx", "small"]);
  });

  it("stays for an hour more, for calls that have read the campaign before", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project, { body: large });
    const world = new World();
    world.now += 25 * hourMs;
    await project.db
      .prepare("UPDATE campaigns SET body = '', body_key = NULL, updated_at = ? WHERE id = ?")
      .bind(world.now - hourMs + 60_000, readId(id))
      .run();
    await world.sweep("17 * * * *");
    expect(await keysOf(project)).toHaveLength(1);
    await sweepIn(26);
    expect(await keysOf(project)).toEqual([]);
  });

  it("stays while a backup is made, whose rows are of before, as a version of a template does", async () => {
    const project = await newProject();
    const campaign = await newCampaign(project, { body: large });
    const template = await newTemplate(project, { body: large });
    const before = await keysOf(project);
    await putCampaign(project, campaign.id, { body: "small" });
    await project.api.patch(`/templates/${template.id}`, { body: "small" });
    const job = newId();
    await project.db
      .prepare("INSERT INTO jobs (project_id, id, type, status, errors, created_at) VALUES (?, ?, ?, ?, '[]', 0)")
      .bind(project.number, job, "project.backup", "processing")
      .run();
    const sweepBoth = async (hours: number) => {
      const world = await sweepIn(hours);
      await forgetVersions(world.process().platform);
    };
    await sweepBoth(50);
    expect(await keysOf(project)).toEqual(before);
    await project.db.prepare("UPDATE jobs SET status = 'completed' WHERE id = ?").bind(job).run();
    await sweepBoth(60);
    expect(await keysOf(project)).toEqual([]);
  });

  it("is copied for a duplicate, which outlives the original", async () => {
    const project = await newProject();
    const { id } = await newCampaignOfThree(project);
    const { body: copy } = await project.api.post(`/campaigns/${id}/duplicate`);
    expect(await keysOf(project)).toHaveLength(6);
    await project.api.delete(`/campaigns/${id}`);
    await sweepIn(24 * 20);
    expect(await keysOf(project)).toHaveLength(6);
    await emptyTrash(new World(), project);
    await sweepIn(24 * 31);
    expect(await keysOf(project)).toHaveLength(3);
    expect(await bodiesOf(project, copy.data.id)).toEqual(["ownxx", "axxxx", "bxxxx"]);
  });

  it("stays while mail of a deleted campaign has it", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    const { id } = await newCampaign(project, { body: large });
    await project.api.post(`/campaigns/${id}/test`, { email: "test@example.com" });
    await project.api.delete(`/campaigns/${id}`);
    await emptyTrash(new World(), project);
    const ofCampaign = async () => (await keysOf(project)).filter((key) => key.startsWith("campaign/"));
    await sweepIn(24 * 31);
    expect(await ofCampaign()).toHaveLength(1);
    await project.db
      .prepare("UPDATE email_contents SET body_key = NULL WHERE project_id = ?")
      .bind(project.number)
      .run();
    await sweepIn(24 * 31);
    expect(await ofCampaign()).toEqual([]);
  });

  it("stays as long as its project if version 1.0.0 wrote it, whose files do not name their campaign", async () => {
    const project = await newProject();
    const key = `campaign/${project.id}/${"a".repeat(22)}`;
    await put(key);
    await sweepIn(24 * 400);
    expect(await keysOf(project)).toEqual([key]);
  });
});

describe("a duplicate that is refused", () => {
  it("leaves no file", async () => {
    const project = await newProject();
    const { id } = await newCampaignOfThree(project);
    await project.db
      .prepare(
        `INSERT INTO campaigns (project_id, id, name, search_text, subject, from_email, type, audience_type, status, created_at, updated_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
          SELECT ?, printf('%022d', i), 'n', 'n', 's', 'a@b.example', 'MARKETING', 'ALL', 'DRAFT', 0, 0 FROM n`,
      )
      .bind(project.number)
      .run();
    expect((await project.api.post(`/campaigns/${id}/duplicate`)).status).toBe(409);
    await vi.waitFor(async () => expect(await keysOf(project)).toHaveLength(3));
  });
});

describe("the sweep", () => {
  it("does a bounded part each hour, goes on where it stopped, and begins again at the end", async () => {
    const { body } = await admin.post("/admin/projects", { name: "Many files" });
    const keys = Array.from({ length: 50 }, (_, n) => `content/${body.project.id}/${String(n).padStart(4, "0")}`);
    const { platform } = new World().process();
    const seen: string[] = [];
    const files = keys.map((key) => ({ key, putAt: 0 }));
    const blobs: typeof platform.blobs = {
      ...platform.blobs,
      async listAfter(after) {
        const rest = files.filter(({ key }) => key > after);
        return { files: rest.slice(0, 2), isLast: rest.length <= 2 };
      },
      async delete(removed) {
        seen.push(...removed);
      },
    };
    const counts: number[] = [];
    for (let hour = 0; hour < 3; hour++) {
      await forgetOrphans({ ...platform, blobs });
      counts.push(seen.length);
    }
    expect(counts).toEqual([40, 50, 90]);
    expect(seen).toEqual([...keys, ...keys.slice(0, 40)]);
  });
});
