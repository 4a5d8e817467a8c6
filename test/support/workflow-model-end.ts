import { checkPath } from "./workflow-model-path";
import type { Play } from "./workflow-model-play";
import { type ExecutionRow, isOver, readExecutions, readKeptEvents } from "./workflow-model-rows";
import type { ShardCall } from "./workflow-model-shards";
import { checkStarts } from "./workflow-model-starts";
import { countFaults, listenerFaults, mailFaults } from "./workflow-model-sums";

/** Everything that the model says of a play that has come to rest. */
export async function faultsAtRest(play: Play): Promise<string[]> {
  const faults = [...play.endpoints.faults];
  const rows = await readExecutions(play);
  const started = checkStarts(play, rows, faults);
  faults.push(...started.flatMap((one) => checkPath(play, one)));
  faults.push(...(await mirrorFaults(play, rows)), ...cancelFaults(play, rows), ...trailFaults(play, rows));
  faults.push(...(await mailFaults(play, rows)), ...(await listenerFaults(play, rows)));
  const kept = (await readKeptEvents(play)).filter(
    (id) => !rows.some(({ taken }) => taken.some((one) => one.id === id)),
  );
  faults.push(...kept.map((id) => `the event ${id} is kept for nobody`));
  for (const { row, event } of started) faults.push(...causeFaults(row, event?.causes ?? []));
  faults.push(...causedFaults(play, rows), ...(await countFaults(play, rows)));
  faults.push(...(await storedCountFaults(play)));
  return faults;
}

/** The stored counts are those of the mirror. */
async function storedCountFaults({ project }: Play): Promise<string[]> {
  const { results } = await project.db
    .prepare(`SELECT c.workflow_id AS id FROM execution_counts c
      WHERE c.project_id = ? AND (counted_to < '~' OR (running, waiting, completed, exited, failed, cancelled) <> (
        SELECT count(*) FILTER (WHERE status = 'RUNNING'), count(*) FILTER (WHERE status = 'WAITING'),
          count(*) FILTER (WHERE status = 'COMPLETED'), count(*) FILTER (WHERE status = 'EXITED'),
          count(*) FILTER (WHERE status = 'FAILED'), count(*) FILTER (WHERE status = 'CANCELLED')
        FROM workflow_executions e WHERE e.project_id = c.project_id AND e.workflow_id = c.workflow_id))`)
    .bind(project.number)
    .all<{ id: string }>();
  return results.map(({ id }) => `the stored count of ${id} is not that of the mirror`);
}

async function mirrorFaults({ project }: Play, rows: ExecutionRow[]): Promise<string[]> {
  const columns =
    "status, current_step_id AS step_id, exit_reason, wake_at, started_at, completed_at, awaits, error, shard";
  const { results } = await project.db
    .prepare(`SELECT json_group_object(id, json_object(${columns
      .split(", ")
      .map((column) => `'${column.split(" AS ").at(-1)}', ${column.split(" AS ")[0]}`)
      .join(", ")})) AS all_of_them
      FROM workflow_executions WHERE project_id = ?`)
    .bind(project.number)
    .all<{ all_of_them: string }>();
  const mirror: Record<string, Record<string, unknown>> = JSON.parse(results[0]?.all_of_them ?? "{}");
  const faults = Object.keys(mirror)
    .filter((id) => !rows.some((row) => row.id === id))
    .map((id) => `the mirror has ${id}`);
  for (const { id, status, step_id, exit_reason, wake_at, started_at, completed_at, awaits, error, shard } of rows) {
    const is = { status, step_id, exit_reason, wake_at, started_at, completed_at, awaits, error, shard };
    const shown = mirror[id];
    // The batch that erases a contact says when, and the object when it heard of it.
    if (exit_reason === "The contact was deleted" && shown) shown.completed_at = completed_at;
    if (JSON.stringify(shown) !== JSON.stringify(is))
      faults.push(`the mirror shows ${JSON.stringify(shown)}, and not ${JSON.stringify(is)}`);
  }
  return faults;
}

/** Who was active when somebody cancelled is over. */
function cancelFaults({ shards, row, isDisabled, world }: Play, rows: ExecutionRow[]): string[] {
  const faults: string[] = [];
  for (const call of shards.calls) {
    const { name, at, shard, values } = call;
    const by = overBy(call);
    if (by === null) continue;
    const meant = rows.filter(
      (one) => one.shard === shard && one.started_at < at && (one.completed_at ?? world.now + 1) > by,
    );
    const hit = meant.filter((one) =>
      name === "cancel" ? one.id === values[1] : [one.workflow_id, null].includes(values[1] as string | null),
    );
    faults.push(...hit.map(({ id, status }) => `${at} ${name}, and execution ${id} was not over: ${status}`));
  }
  if (row.disabled && isDisabled.isSurely(true, world.now))
    faults.push(...rows.filter((one) => !isOver(one)).map(({ id }) => `execution ${id} goes on in a disabled project`));
  return faults;
}

/**
 * When all are over whom a call cancels: who cancels many takes its time. Null for one that cancels nobody, or has died and
 * promises nothing.
 */
function overBy({ name, at, until = at, answer }: ShardCall): number | null {
  if (name === "cancel") return at;
  return name === "cancelAll" && answer !== undefined ? until : null;
}

/** Each UPDATE_CONTACT wrote its tag once, and what it wrote was not rendered again. */
function trailFaults({ timeline, world }: Play, rows: ExecutionRow[]): string[] {
  const faults: string[] = [];
  const ids = new Set(timeline.moments.flatMap(({ contacts }) => [...contacts.keys()]));
  for (const id of ids) {
    const contact = timeline.contact(id);
    const trail = String(contact?.data.trail ?? "");
    if (!["{{ email }}", undefined].includes(contact?.data.note as string | undefined))
      faults.push(`the note of ${contact?.email} is ${contact?.data.note}`);
    const own = rows.filter(({ contact_id }) => contact_id === id);
    const names = new Set([...trail.split(/[|;]/), ...own.flatMap(({ steps }) => steps.map(({ name }) => name))]);
    for (const name of names) {
      const written = trail.split(/[|;]/).filter((one) => one === name && one !== "").length;
      const done = own.filter(({ steps }) =>
        steps.some((step) => step.type === "UPDATE_CONTACT" && step.name === name && step.status === "COMPLETED"),
      ).length;
      // One that was cancelled while it stood there may have had its effect, which it did not hear of.
      const standing = own.filter(
        (row) =>
          row.status === "CANCELLED" &&
          stoodAt(timeline.between(row.started_at, row.completed_at ?? world.now), row, name),
      ).length;
      if (written < done || written > done + standing)
        faults.push(`${contact?.email} has ${written} × ${name} in ${trail}, and not ${done} to ${done + standing}`);
    }
  }
  return faults;
}

function stoodAt(moments: Play["timeline"]["moments"], { step_id, workflow_id }: ExecutionRow, name: string): boolean {
  return moments.some(({ workflows }) => workflows.get(workflow_id)?.steps.get(step_id ?? "")?.name === name);
}

/** The workflows that led to an execution: those that led to its event, and itself. Events that wake it add theirs. */
function causeFaults(row: ExecutionRow, causes: string[]): string[] {
  const found: string[] = JSON.parse(row.causes);
  const expected = [...new Set([...causes, row.workflow_id])];
  const isRight = expected.every((one, index) => found[index] === one);
  return isRight ? [] : [`execution ${row.id} has the causes ${found}, and not ${expected}`];
}

/** What an execution causes carries them, and what somebody else does has none. */
function causedFaults({ timeline }: Play, rows: ExecutionRow[]): string[] {
  const faults: string[] = [];
  for (const { at, name, contactId, causes, isCaused } of timeline.events) {
    if (!name.startsWith("contact.")) continue;
    // What was on its way when its execution was cancelled happens all the same.
    const stood = rows.filter(
      ({ contact_id, started_at, completed_at, status }) =>
        contact_id === contactId && started_at <= at && (status === "CANCELLED" || (completed_at ?? at) >= at),
    );
    const told = causes.join();
    const isOf = (row: ExecutionRow) => told !== "" && (JSON.parse(row.causes) as string[]).join().startsWith(told);
    if (isCaused ? !stood.some((row) => isOf(row) && causes.includes(row.workflow_id)) : told !== "")
      faults.push(`${at} ${name} has the causes ${told}`);
  }
  return faults;
}
