import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { importCsv } from "../support/import";
import { expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("imports and changes contacts in bulk without walking through what a project already has", async () => {
  const project = await newProject();
  const world = new World();
  const tooLarge = `ada@example.com,${"x".repeat(40_000)},,\nada@example.com,,${"x".repeat(40_000)},`;
  const job = await importCsv(project, `email,a,b,c\n${tooLarge}\nbob@example.com,1,,\nnope,,,\n`, world);
  expect(job).toMatchObject({ status: "completed", imported: 2, skipped: 2 });
  // Where somebody was erased, addresses are looked up by their hashes.
  await project.db
    .prepare("INSERT INTO erased_addresses (project_id, hash, created_at) VALUES (?, 'h', 0)")
    .bind(project.id)
    .run();
  expect(await importCsv(project, "email,a\neve@example.com,1\n", world)).toMatchObject({ imported: 1 });
  const { data } = (await project.api.get("/contacts")).body;
  const contactIds = [...data.map(({ id }: { id: string }) => id), "nobody"].map(readId);
  // What erases people has its own test.
  for (const operation of ["unsubscribe", "subscribe"] as const) {
    const { ctx } = await world.context(project);
    await startBulk(ctx, operation, { contactIds });
    await world.drain();
  }

  expect(world.statements.length).toBeGreaterThan(30);
  await expectBounded(world.statements, [
    // Whether anybody was erased is known at the first row.
    { sql: /NOT EXISTS \(SELECT 1 FROM erased_addresses WHERE project_id = \?\)/, step: /^SEARCH erased_addresses/ },
    // The overwritten data of a chunk is added up, row by row of the file.
    { sql: /^INSERT INTO import_changes/, step: /TEMP B-TREE FOR ORDER BY/ },
  ]);
});
