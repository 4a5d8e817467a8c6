import { describe, expect, it } from "vitest";
import { startBackup } from "../../src/features/projects/backups/start";
import { shards } from "../support/database";
import { elsewhere, finishes, moves, shardOf, startsMove } from "../support/move";
import { admin, bearer, call, newProject } from "../support/project";
import { World } from "../support/world";

describe("POST /admin/projects/{id}/move", () => {
  it("moves the project, and the log of the project tells it", async () => {
    const world = new World();
    const project = await newProject();
    const to = await elsewhere(project);
    const { status, body } = await admin.post(`/admin/projects/${project.id}/move`, { database: to });
    expect([status, Object.keys(body)]).toEqual([202, ["jobId"]]);
    const log = await project.api.get("/audit");
    expect(log.body.data[0]).toMatchObject({ action: "moveProject" });
    const job = async () => (await admin.get(`/admin/jobs/${body.jobId}`)).body;
    // The product's own consumer has the first message, and may be at work.
    for (let turn = 0; turn < 10 && (await job()).status !== "completed"; turn++) {
      world.now += 60_000;
      await world.sweep();
      await finishes(world);
    }
    expect(await job()).toMatchObject({
      type: "project.move",
      status: "completed",
      result: { database: to, rows: expect.any(Number), compared: expect.any(Number), refusedMs: expect.any(Number) },
    });
    expect((await admin.get(`/admin/projects/${project.id}`)).body).toMatchObject({ database: to, moving: null });
  });

  it("names the databases there are, and refuses that in which the project is", async () => {
    const project = await newProject();
    for (const database of ["DB_77", await shardOf(project), ""]) {
      const { status, body } = await admin.post(`/admin/projects/${project.id}/move`, { database });
      expect([database, status, body.error.errors[0].field]).toEqual([database, 422, "database"]);
    }
    const { body } = await admin.post(`/admin/projects/${project.id}/move`, { database: "DB_77" });
    expect(body.error.message).toContain(shards.join(", "));
  });

  it("is refused while another move of the project goes on, or a backup", async () => {
    const world = new World();
    const project = await newProject();
    const path = `/admin/projects/${project.id}`;
    const database = await elsewhere(project);
    await startBackup(world.process().platform, project.id);
    expect(await admin.post(`${path}/move`, { database })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("A backup of this project is in progress") } },
    });
    await world.drain();
    const jobId = await startsMove(world, project, database);
    expect(await admin.post(`${path}/move`, { database })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(jobId) } },
    });
    expect((await admin.post(`${path}/backup`, {})).status).toBe(409);
    await finishes(world);
    expect((await admin.delete(`${path}/move`)).body.error.suggestion).toContain("send POST");
    expect((await admin.get(path)).body.database).toBe(database);
  });

  it("is the operator's, of a project that is there", async () => {
    const project = await newProject();
    const gone = `/admin/projects/${crypto.randomUUID()}/move`;
    expect((await admin.post(gone, { database: "DB" })).status).toBe(404);
    expect((await admin.delete(gone)).status).toBe(404);
    const path = `/admin/projects/${project.id}/move`;
    expect((await project.api.post(path, { database: "DB" })).status).toBe(401);
    expect((await call("DELETE", path, undefined, bearer("sk_nobody"))).status).toBe(401);
    expect((await admin.delete(path)).status).toBe(409);
  });

  it("takes a disabled project along, which stays disabled", async () => {
    const world = new World();
    const project = await newProject();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect(await moves(world, project)).toMatchObject({ status: "completed" });
    expect((await admin.get(`/admin/projects/${project.id}`)).body.disabled).toBe(true);
  });
});
