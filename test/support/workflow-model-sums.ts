import { asId, readId, textOf } from "../../src/core/ids";
import { workflowStats } from "../../src/features/workflows/stats/stats";
import { contextOf, type Play } from "./workflow-model-play";
import { alone, newActor } from "./workflow-model-rest";
import { type ExecutionRow, isOver } from "./workflow-model-rows";

interface MailRow {
  effect: string;
  status: string;
  id: string;
  causes: string | null;
}

/** How often the provider may have taken an email in the end. */
const taken: Record<string, number[]> = { SENT: [1], UNKNOWN: [0, 1], QUEUED: [0], FAILED: [0], CANCELLED: [0] };

/** Each execution and step has at most one email, and the provider took it once. */
export async function mailFaults({ project, world, hasKilledConsumer }: Play, rows: ExecutionRow[]): Promise<string[]> {
  const { results } = await project.db
    .prepare("SELECT effect_id || '' AS effect, status, id, causes FROM emails WHERE project_id = ?")
    .bind(project.number)
    .all<MailRow>();
  const faults: string[] = [];
  for (const { effect, status, id, causes } of results) {
    const times = world.taken.filter(({ emailId }) => emailId === id).length;
    const isRight = taken[status]?.includes(times) && (status !== "UNKNOWN" || hasKilledConsumer);
    if (!isRight) faults.push(`the email of ${effect} is ${status}, and was sent ${times} times`);
    const row = rows.find((one) => one.id === effect.split(":")[0]);
    const isCaused = row && listText(row.causes).startsWith(listText(causes)) && causes?.includes(row.workflow_id);
    if (!isCaused) faults.push(`the email of ${effect} has the causes ${causes}`);
  }
  const effects = results.map(({ effect }) => effect);
  if (new Set(effects).size !== effects.length) faults.push("an execution and step has two emails");
  for (const row of rows) {
    for (const step of row.steps.filter(({ type }) => type === "SEND_EMAIL")) {
      const count = effects.filter((effect) => effect === `${row.id}:${step.step_id}`).length;
      if (!emailsOf(row, step.status).includes(count))
        faults.push(`execution ${row.id} has ${count} emails of ${step.name}, which is ${step.status}`);
    }
  }
  return faults;
}

function listText(list: string | null): string {
  return (JSON.parse(list ?? "[]") as string[]).join();
}

/** One that was cancelled at the step may have sent its mail, and not have heard of it. */
function emailsOf(row: ExecutionRow, status: string): number[] {
  if (status === "COMPLETED") return [1];
  return status === "SKIPPED" && row.status !== "CANCELLED" ? [0] : [0, 1];
}

/** Whoever is awaited is listened for, and enabled workflows listen for what starts them. */
export async function listenerFaults({ project, timeline }: Play, rows: ExecutionRow[]): Promise<string[]> {
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

/** The kept counts of steps are what counting says. */
export async function countFaults(play: Play, rows: ExecutionRow[]): Promise<string[]> {
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
