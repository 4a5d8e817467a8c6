import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { newProject, type TestProject } from "../support/project";
import { addressOf, awaitingPurchase, mirrorOf, newWorkflow, track } from "../support/workflow";
import { shardStub, World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const tables = ["workflow_executions", "execution_counts"];

type Row = Record<string, string | number | null>;

/** Keeps the rows of a project's executions. The result puts them back, as a database that is restored to this moment. */
async function bookmark({ db, number }: TestProject): Promise<() => Promise<void>> {
  const read = (table: string) => db.prepare(`SELECT * FROM ${table} WHERE project_id = ?`).bind(number).all<Row>();
  const kept = await Promise.all(tables.map(read));
  return async () => {
    for (const [index, table] of tables.entries()) {
      await db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(number).run();
      for (const row of kept[index]?.results ?? []) {
        const columns = Object.keys(row);
        const places = columns.map(() => "?").join(", ");
        const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
        await db
          .prepare(insert)
          .bind(...Object.values(row))
          .run();
      }
    }
  };
}

async function someoneWaits() {
  const world = new World();
  const project = await newProject();
  const workflow = await newWorkflow(project, awaitingPurchase());
  const { contactId } = await track(world, project, "signup");
  await world.drain();
  return { world, project, workflow, contactId };
}

describe("rows of executions that a restore has set back", () => {
  it("are brought up to date within minutes of the time for which they seem to wait", async () => {
    const { world, project, contactId } = await someoneWaits();
    const restore = await bookmark(project);
    await track(world, project, "purchase");
    await world.drain();
    const [ended] = await mirrorOf(project, contactId);
    expect(ended?.status).toBe("EXITED");
    await restore();
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("WAITING");
    world.now += hourMs + 2 * minuteMs;
    await world.sweep();
    await world.drain();
    expect(await mirrorOf(project, contactId)).toEqual([ended]);
  });

  it("are brought up to date by whoever cancels the execution", async () => {
    const { world, project, workflow, contactId } = await someoneWaits();
    const restore = await bookmark(project);
    await track(world, project, "purchase");
    await world.drain();
    await restore();
    const [row] = await project.api.get(`/workflows/${publicId(workflow.id)}/executions`).then(({ body }) => body.data);
    expect(row.status).toBe("WAITING");
    const { status } = await project.api.delete(`/workflows/${publicId(workflow.id)}/executions/${row.id}`);
    expect(status).toBe(409);
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("EXITED");
  });

  it("end if their object has forgotten the execution", async () => {
    const { world, project, contactId } = await someoneWaits();
    const restore = await bookmark(project);
    await runInDurableObject(shardStub(addressOf(project, contactId)), (object) => object.erase());
    await restore();
    world.now += hourMs + 2 * minuteMs;
    await world.sweep();
    await world.drain();
    const lost = { status: "CANCELLED", exit_reason: "The database was restored to an earlier time", wake_at: null };
    expect(await mirrorOf(project, contactId)).toMatchObject([lost]);
  });
});
