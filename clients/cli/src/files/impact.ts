import type { Petrel } from "petrel-client";
import { counted } from "../screen";
import type { Leaving } from "./kind";
import type { Names } from "./names";
import type { Pair } from "./pairs";
import { namesIn } from "./workflow-doc";
import { workflowBody } from "./workflows";

/** The effect of a push of a workflow on its active executions. */
export interface Impact {
  lines: string[];
  /** Executions at removed steps without a destination. */
  stranded: number;
}

/**
 * Asks the service what a file would change. A file that names something that does not exist yet is checked when it is
 * pushed.
 */
export async function impactOf(petrel: Petrel, names: Names, pair: Pair, leaving: Leaving): Promise<Impact> {
  const { local, server, file } = pair;
  if (pair.kind.noun !== "workflow" || !local || !server) return { lines: [], stranded: 0 };
  const needed = namesIn(local);
  const isWhole =
    needed.templates.every((name) => names.has("template", name)) &&
    needed.segments.every((name) => names.has("segment", name));
  if (!isWhole)
    return { lines: ["needs what this push creates first, so that executions are counted then"], stranded: 0 };
  const keys = server.keys ?? {};
  const plan = await petrel.workflows.putDocument(server.id, workflowBody(local, names, file, keys), { dryRun: true });
  const called = new Map(Object.entries(keys).map(([alias, id]) => [id, alias]));
  const call = (key: string) => called.get(key) ?? key;
  const lines = plan.waiting.map(
    ({ key, count }) => `${counted(count, "execution")} at ${call(key)} ${fateOf(leaving)}`,
  );
  const there = await standingAt(petrel, server.id, plan.changed);
  if (there > 0) lines.push(`${counted(there, "execution")} at changed steps: they go on by the new ones`);
  for (const { key, message } of plan.issues) lines.push(`${key === undefined ? "" : `${call(key)}: `}${message}`);
  const waiting = plan.waiting.reduce((sum, { count }) => sum + count, 0);
  return { lines, stranded: leaving.moveTo === undefined && !leaving.isForced ? waiting : 0 };
}

function fateOf({ moveTo, isForced }: Leaving): string {
  if (moveTo !== undefined) return `move to ${moveTo}`;
  return isForced ? "end" : "would lose their step";
}

async function standingAt(petrel: Petrel, id: string, changed: string[]): Promise<number> {
  if (changed.length === 0) return 0;
  const [{ steps }, whole] = await Promise.all([petrel.workflows.getStats(id), petrel.workflows.get(id)]);
  const isChanged = ({ id, key }: { id: string; key?: string | null }) => changed.includes(key ?? id);
  const ids = new Set(whole.steps.filter(isChanged).map((step) => step.id));
  return steps.filter(({ stepId }) => ids.has(stepId)).reduce((sum, { waiting }) => sum + waiting, 0);
}
