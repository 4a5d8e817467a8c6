/** When faults have stopped, everything comes to its end. */
export function unfinished(world, { deeds, nameOf, facts }) {
  const deleted = new Set(facts.filter(({ is }) => is === "deleted").map(({ tenant }) => tenant));
  const some = (what, sql) => {
    const rows = world.rows(sql).filter(({ project_id: project }) => !deleted.has(nameOf.get(project)));
    return rows.length > 0 ? [`${rows.length} ${what}: ${JSON.stringify(rows.slice(0, 3))}`] : [];
  };
  return [
    ...deeds.filter(({ isOver }) => !isOver).map(({ entry }) => `${entry.kind} ${entry.number} never ended`),
    ...deeds
      .filter(({ error }) => error)
      .map(({ entry, error }) => `${entry.kind} ${entry.number} failed: ${error.stack}`),
    ...some(
      "events still wait for their listeners",
      "SELECT project_id, id, name FROM events WHERE next_announce_at IS NOT NULL",
    ),
    ...some(
      "jobs are not over",
      "SELECT project_id, id, type, status FROM jobs WHERE status IN ('queued', 'processing')",
    ),
    ...some(
      "campaigns are not over",
      "SELECT project_id, id, status, held_reason FROM campaigns WHERE status IN ('SCHEDULED', 'SENDING')",
    ),
    ...some(
      "executions are not over",
      "SELECT project_id, id, status, current_step_id, wake_at FROM workflow_executions WHERE status IN ('RUNNING', 'WAITING')",
    ),
    ...some("calls are not over", "SELECT project_id, effect_id FROM workflow_calls WHERE next_attempt_at IS NOT NULL"),
    ...world.queues.waiting
      .slice(0, 3)
      .map(({ queue, body }) => `A message waits in ${queue}: ${JSON.stringify(body)}`),
  ];
}
