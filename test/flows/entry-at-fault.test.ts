import { describe, expect, it } from "vitest";
import { publicId } from "../../src/core/ids";
import { databaseOf, shards } from "../support/database";
import { type FaultName, faultNames } from "../support/database-fault";
import { databaseFaults } from "../support/database-faults";
import { killableDatabase, Process } from "../support/killable";
import { newProject } from "../support/project";
import { newContact } from "../support/segment";
import { signedIn } from "../support/visitor";
import { callWith } from "../support/with-settings";
import { awaitingPurchase, newWorkflow } from "../support/workflow";

/** Databases in which an entry of the audit log cannot be written. */
function withoutEntries(name: FaultName) {
  const way = async <T>({ sql }: { sql: string[] }, make: () => Promise<T>): Promise<T> => {
    if (!sql.some((text) => text.includes("INTO audit_entries"))) return make();
    const { commits, message } = databaseFaults[name];
    if (commits) await make();
    throw new Error(message);
  };
  return Object.fromEntries(shards.map((shard) => [shard, killableDatabase(databaseOf(shard), new Process(), way)]));
}

describe.each(faultNames)("a call that only changed an object, and whose audit entry meets: %s", (name) => {
  it("is not said to have had no effect, and has it once with a key", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, { ...awaitingPurchase(), allowReentry: true });
    const contact = await newContact(project, "ada@example.com");
    const path = `/workflows/${publicId(id)}/executions`;
    const admin = await signedIn({ project, as: { role: "admin" } });
    const request = {
      body: { contactId: contact.id },
      headers: { ...admin.headers(project), "Idempotency-Key": "mine" },
    };
    const failed = await callWith(withoutEntries(name), "POST", path, request);
    expect([failed.status, failed.body.error.details]).toEqual([503, { effect: "done" }]);
    expect(failed.body.error.message).toContain("This request took effect, but its answer was lost.");
    const executions = async () => (await project.api.get(path)).body.total;
    expect(await executions()).toBe(1);
    const again = await callWith({}, "POST", path, request);
    expect([again.status, await executions()]).toEqual([201, 1]);
    const entries = await project.api.get("/audit?action=startWorkflowExecution");
    expect(entries.body.data.length).toBeGreaterThan(0);
  });
});
