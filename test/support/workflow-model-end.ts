import { asId, readId, textOf } from "../../src/core/ids";
import { updateProject } from "../../src/features/projects/update";
import { workflowStats } from "../../src/features/workflows/stats/stats";
import { handleMessage } from "../../src/queue";
import { checkPath } from "./workflow-model-path";
import { type Actor, advance, contextOf, type Play } from "./workflow-model-play";
import { type ExecutionRow, isOver, readExecutions } from "./workflow-model-rows";
import { checkStarts } from "./workflow-model-starts";
import { sweepAll } from "./workflow-model-work";

/** Lets threads have their turns until none wants one. Objects that died are made anew. */
export async function playOut({ turns, shards }: Play, isOver: () => boolean = () => false): Promise<void> {
  for (;;) {
    await turns.still();
    await shards.bury();
    if (isOver() || !turns.hasWaiting()) return;
    turns.next();
  }
}

const newActor = (name: string): Actor => ({ name, steps: Promise.resolve() });

async function alone(play: Play, run: () => Promise<void>): Promise<void> {
  const { turns } = play;
  turns.begin();
  const done = run().finally(() => turns.end());
  await playOut(play);
  await done;
}

/** Nothing dies any more, and nothing is lost. */
export async function comeToRest(play: Play): Promise<void> {
  const { world, shards, turns, endpoints, project, random } = play;
  shards.dying = 0;
  turns.restlessness = 0;
  endpoints.isCalm = true;
  await playOut(play);
  if (play.row.disabled && random.isIn(50)) {
    const from = world.now;
    await alone(play, async () => {
      play.row = await updateProject(contextOf(play, newActor("operator")), project.id, { disabled: false });
    });
    play.isDisabled.write(false, { from, to: world.now, isSure: true });
  }
  for (let turn = 0; turn < 40; turn++) {
    advance(play, (turn < 6 ? 1 : 16) * 60_000);
    await alone(play, async () => {
      await sweepAll(contextOf(play, newActor("cron")));
      for (const address of shards.known) await shards.ring(address);
      await drain(play);
    });
    if (turn > 3 && world.queue.length === 0 && !(await isRestless(play))) return;
  }
  play.log.push("It does not come to rest");
}

async function drain(play: Play): Promise<void> {
  const { world } = play;
  for (let turn = 0; turn < 500; turn++) {
    const index = world.queue.findIndex(({ due }) => due <= world.now);
    const [next] = index < 0 ? [] : world.queue.splice(index, 1);
    if (!next) return;
    await handleMessage(contextOf(play, newActor("consumer")), next.queued.message);
  }
  throw new Error("The queue never comes to rest");
}

async function isRestless({ project: { db, number }, world, row }: Play): Promise<boolean> {
  const isUnderWay = row.disabled
    ? ""
    : "+ (SELECT count(*) FROM emails WHERE project_id = ?1 AND status IN ('QUEUED', 'SENDING'))";
  const query = db.prepare(
    `SELECT (SELECT count(*) FROM events WHERE project_id = ?1 AND next_announce_at IS NOT NULL)
      + (SELECT count(*) FROM workflow_calls WHERE project_id = ?1 AND ended_at IS NULL) ${isUnderWay}
      + (SELECT count(*) FROM jobs WHERE project_id = ?1 AND status IN ('queued', 'processing'))
      + (SELECT count(*) FROM workflow_executions WHERE project_id = ?1 AND wake_at <= ?2)
      + (SELECT count(*) FROM workflow_executions e JOIN workflow_steps s ON s.project_id = e.project_id
          AND s.workflow_id = e.workflow_id AND s.id = e.current_step_id
        WHERE e.project_id = ?1 AND e.status = 'WAITING' AND s.type = 'WEBHOOK') AS n`,
  );
  return (await query.bind(number, world.now).first<number>("n")) !== 0;
}

/** Everything that the model says of a play that has come to rest. */
export async function faultsAtRest(play: Play): Promise<string[]> {
  const faults = [...play.endpoints.faults];
  const rows = await readExecutions(play);
  const started = checkStarts(play, rows, faults);
  faults.push(...started.flatMap((one) => checkPath(play, one)));
  faults.push(...(await mirrorFaults(play, rows)), ...cancelFaults(play, rows), ...trailFaults(play, rows));
  faults.push(...(await mailFaults(play, rows)), ...(await listenerFaults(play, rows)));
  for (const { row, event } of started) faults.push(...causeFaults(row, event?.causes ?? []));
  faults.push(...(await countFaults(play, rows)));
  return faults;
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
  const isLate = (one: ExecutionRow, at: number) => one.started_at < at && (one.completed_at ?? world.now + 1) > at;
  for (const { name, at, shard, values } of shards.calls) {
    const meant = rows.filter((one) => one.shard === shard && isLate(one, at));
    const hit = meant.filter(
      (one) =>
        (name === "cancel" && one.id === values[1]) ||
        (name === "cancelAll" && [one.workflow_id, null].includes(values[1] as string | null)),
    );
    faults.push(...hit.map(({ id, status }) => `${at} ${name}, and execution ${id} was not over: ${status}`));
  }
  if (row.disabled && isDisabled.isSurely(true, world.now))
    faults.push(...rows.filter((one) => !isOver(one)).map(({ id }) => `execution ${id} goes on in a disabled project`));
  return faults;
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

interface MailRow {
  effect: string;
  status: string;
  id: string;
  causes: string;
}

/** Each execution and step has at most one email, and the provider took it once. */
async function mailFaults(play: Play, rows: ExecutionRow[]): Promise<string[]> {
  const { project, world, hasKilledConsumer } = play;
  const { results } = await project.db
    .prepare("SELECT effect_id || '' AS effect, status, id, causes FROM emails WHERE project_id = ?")
    .bind(project.number)
    .all<MailRow>();
  const faults: string[] = [];
  for (const { effect, status, id } of results) {
    const taken = world.taken.filter(({ emailId }) => emailId === id).length;
    const may =
      status === "SENT"
        ? [1]
        : status === "UNKNOWN" && hasKilledConsumer
          ? [0, 1]
          : ["FAILED", "CANCELLED", "QUEUED", "SUPPRESSED"].includes(status)
            ? [0]
            : [1];
    if (!may.includes(taken)) faults.push(`the email of ${effect} is ${status}, and was sent ${taken} times`);
  }
  const effects = results.map(({ effect }) => effect);
  for (const row of rows) {
    const [first] = play.timeline
      .between(row.started_at, world.now)
      .filter(({ contacts }) => !contacts.has(row.contact_id));
    for (const step of row.steps) {
      if (step.type !== "SEND_EMAIL") continue;
      const count = effects.filter((effect) => effect === `${row.id}:${step.step_id}`).length;
      const expected =
        step.status === "COMPLETED" ? [1] : step.status === "SKIPPED" && row.status !== "CANCELLED" ? [0] : [0, 1];
      if (!expected.includes(count))
        faults.push(
          `execution ${row.id} has ${count} emails of ${step.name}, which is ${step.status}${first ? " (contact gone)" : ""}`,
        );
    }
  }
  const known = new Set(rows.map(({ id }) => id));
  faults.push(
    ...effects
      .filter((effect) => !known.has(effect.split(":")[0] ?? ""))
      .map((effect) => `nobody sends the email ${effect}`),
  );
  if (new Set(effects).size !== effects.length) faults.push("an execution and step has two emails");
  return faults;
}

/** Whoever is awaited is listened for, and enabled workflows listen for what starts them. */
async function listenerFaults({ project, timeline }: Play, rows: ExecutionRow[]): Promise<string[]> {
  const { results } = await project.db
    .prepare(
      "SELECT name || ' ' || listener_id AS row FROM event_listeners WHERE project_id = ? AND listener_id LIKE 'workflow:%'",
    )
    .bind(project.number)
    .all<{ row: string }>();
  const found = results.map(({ row }) => row);
  const starts = [...timeline.last.workflows.values()].flatMap(({ id, enabled, eventName, publicEvents }) =>
    enabled && eventName !== null ? [`${eventName} workflow:${publicEvents ? "start" : "closed"}:${id}`] : [],
  );
  const awaited = rows.flatMap(({ awaits }) => (awaits === null ? [] : [`${awaits} workflow:wait:`]));
  const missing = [...starts, ...awaited].filter((row) => !found.includes(row));
  const extra = found.filter((row) => !row.endsWith(":wait:") && !starts.includes(row));
  return [...missing.map((row) => `nobody listens: ${row}`), ...extra.map((row) => `somebody listens still: ${row}`)];
}

/** What an execution causes carries the workflows that led to it, itself included. */
function causeFaults(row: ExecutionRow, causes: string[]): string[] {
  const found: string[] = JSON.parse(row.causes);
  const expected = [...new Set([...causes, row.workflow_id])];
  const isRight = expected.every((one, place) => found[place] === one);
  return isRight ? [] : [`execution ${row.id} has the causes ${found}, and not ${expected}`];
}

/** The kept counts of steps are what counting says. */
async function countFaults(play: Play, rows: ExecutionRow[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [id, { steps }] of play.timeline.last.workflows) {
    let stats: Awaited<ReturnType<typeof workflowStats>> | null = null;
    await alone(play, async () => {
      stats = await workflowStats(contextOf(play, newActor("reader")), asId(id));
    });
    const counted = [...steps.keys()].map((stepId) => {
      const of = rows.flatMap((row) =>
        row.steps.filter((step) => step.step_id === stepId).map((step) => ({ ...step, isOver: isOver(row) })),
      );
      const count = (...statuses: string[]) => of.filter(({ status }) => statuses.includes(status)).length;
      return [
        stepId,
        {
          entered: of.length,
          waiting: of.filter(({ status, isOver }) => !isOver && ["WAITING", "RUNNING"].includes(status)).length,
          completed: count("COMPLETED"),
          failed: count("FAILED"),
          skipped: count("SKIPPED"),
        },
      ] as const;
    });
    const found = (stats as Awaited<ReturnType<typeof workflowStats>> | null)?.steps.map(
      ({ stepId, name: _, type: __, ...counts }) => [textOf(readId(stepId)), counts] as const,
    );
    for (const [stepId, counts] of counted) {
      const kept = found?.find(([of]) => of === stepId)?.[1];
      if (!sameCounts(counts, kept))
        faults.push(
          `${steps.get(stepId)?.name}: ${JSON.stringify(kept)} are counted, and not ${JSON.stringify(counts)}`,
        );
    }
  }
  return faults;
}

function sameCounts(one: Record<string, unknown>, other: Record<string, unknown> = {}): boolean {
  return Object.entries(one).every(([name, count]) => other[name] === count);
}
