import { expect, it } from "vitest";
import { forgetOldEvents } from "../../src/engine/events/forget-old";
import { forgetContents } from "../../src/engine/mail/forget/contents";
import { takeReport } from "../../src/features/hooks/take-report";
import { sendAs, sharedFile } from "../support/person";
import { expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("forgets without walking through what a project has", async () => {
  const project = await newProject();
  const before = new World();
  const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await sendAs(before, project, { ...call, attachments: [sharedFile] });
  await before.drain();

  const world = new World();
  world.now += 400 * 86_400_000;
  world.settings = { EVENT_RETENTION_DAYS: "30" };
  await forgetContents(world.process().platform);
  await forgetOldEvents(world.process().platform);
  expect(await project.db.prepare("SELECT 1 FROM events WHERE project_id = ?").bind(project.id).all()).toMatchObject({
    results: [],
  });
  expect(new Set(world.statements.map(({ sql }) => sql)).size).toBeGreaterThan(12);
  await expectBounded(world.statements, [
    // Rows of one page.
    { sql: /FROM project_counts p/, step: /TEMP B-TREE FOR (GROUP BY|DISTINCT)/ },
    { sql: /FROM events .* ORDER BY id LIMIT/, step: /TEMP B-TREE FOR (GROUP BY|DISTINCT|count\(DISTINCT\))/ },
  ]);
});

it("takes reports without walking through what a project has", async () => {
  const project = await newProject();
  const world = new World();
  const call = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  const [emailId] = await sendAs(world, project, call);
  await world.drain();
  const told = new World();
  const tag = `${project.id}.${emailId}`;
  const bounced = { kind: "bounced" as const, reason: "x" };
  for (const report of [
    { ...bounced, bounceType: "soft" as const, isTransient: true as const },
    { kind: "delivered" as const },
    { ...bounced, bounceType: "hard" as const },
    { kind: "complained" as const },
  ]) {
    await takeReport(told.process().platform, "double", { tag, providerMessageId: null, id: "1", report });
  }
  expect((await project.api.get(`/emails/${emailId}`)).body.status).toBe("BOUNCED");
  await expectBounded(told.statements, []);
});
