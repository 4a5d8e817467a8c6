import { storedId } from "../ids.mjs";

const columns = "id, workflow_id, status, version, exit_reason";
/** How an execution ends that only the database knows, after it went back to before its object forgot it. */
const lostExecution = "The database was restored to an earlier time";

/** Executions in objects and their rows in the database agree. */
export function mirrorsThatDiffer(world, { facts, tenants, numberOf, restored }) {
  const deleted = new Set(facts.filter(({ is }) => is === "deleted").map(({ tenant }) => tenant));
  const stored = new Map(world.objects.WORKFLOWS.rows("executions").map((row) => [row.id, row]));
  return tenants
    .filter(({ name }) => !deleted.has(name))
    .flatMap(({ name, workflows }) => {
      const sql = `SELECT ${columns} FROM workflow_executions WHERE project_id = ?`;
      const shown = new Map(world.rowsOf(numberOf.get(name), sql).map((row) => [row.id, row]));
      const isRestored = restored.some(({ names }) => names.has(name));
      const own = new Set(workflows.map(({ id }) => storedId(id)));
      const unseen = [...stored.values()].filter((row) => own.has(row.workflow_id) && !shown.has(row.id));
      return [
        ...[...shown.values()].flatMap((row) => differences(row, stored.get(row.id), isRestored)),
        // What began and ended while a database was ahead of its restore is gone from it.
        ...unseen
          .filter(({ completed_at: end }) => end === null || !isRestored)
          .map(({ id, status }) => `Execution ${id} of ${name} is ${status}, and has no row`),
      ];
    });
}

function differences({ id, status, version, exit_reason: reason }, stored, isRestored) {
  if (stored === undefined) return reason === lostExecution ? [] : [`Execution ${id} is ${status} in its row alone`];
  // One that had ended before is as it was then.
  const isSame = stored.status === status && (stored.version === version || isRestored);
  return isSame
    ? []
    : [`Execution ${id} is ${stored.status} (${stored.version}), and ${status} (${version}) in its row`];
}
