import { sql } from "drizzle-orm";
import { firstIdAt, publicId } from "../../../core/ids";
import { dayMs, iso } from "../../../core/time";
import type { Issue } from "../../../core/workflows/issues";
import { asId, asJson, asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems, shownDays } from "../check";
import type { AttentionItem } from "../schema";

const readUnsound = columns({ id: asId, name: asText, issues: asJson<Issue[]>(), updatedAt: asNumber });
const readFailing = columns({ id: asId, name: asText, failed: asNumber });

/**
 * A project has at most 1,000 workflows. At most 20 failed executions of each are counted, so one statement reads up to
 * 21,000 rows.
 */
const maxLooked = 1_000;
const maxFailed = 20;

/** Finds enabled workflows with issues, and workflows with failed executions within the last `shownDays` days. */
export const checkWorkflows: AttentionCheck = (ctx, batch) => {
  const unsound = batch.add(
    statement(
      sql`SELECT id, name, issues, updated_at FROM workflows INDEXED BY ix_workflows_issues
        WHERE ${inProject(ctx)} AND enabled AND issues <> '[]' ORDER BY id DESC LIMIT ${maxItems}`,
      readUnsound,
    ),
  );
  const from = firstIdAt(ctx.now.getTime() - shownDays * dayMs);
  const failing = batch.add(
    statement(
      sql`SELECT id, name, failed FROM (SELECT w.id, w.name, (SELECT count(*) FROM (
            SELECT 1 FROM workflow_executions x INDEXED BY ix_workflow_executions_status
            WHERE x.project_id = w.project_id AND x.workflow_id = w.id AND x.status = 'FAILED' AND x.id >= ${from}
            LIMIT ${maxFailed})) AS failed
          FROM workflows w WHERE ${inProject(ctx, "w")} ORDER BY w.id DESC LIMIT ${maxLooked})
        WHERE failed > 0 LIMIT ${maxItems}`,
      readFailing,
    ),
  );
  return () => [...unsound.all.map(unsoundItem), ...failing.all.map(failingItem)];
};

function unsoundItem({ id, name, issues, updatedAt }: ReturnType<typeof readUnsound>): AttentionItem {
  return {
    code: "workflow_issues",
    severity: "warn",
    message: `The workflow is enabled, and ${issues.length === 1 ? "has an issue" : `has ${issues.length} issues`}: ${issues[0]?.message ?? ""}`,
    count: issues.length,
    since: iso(updatedAt),
    target: { type: "workflow", id: publicId(id), name },
    action: {
      text: "Read the issues of the workflow, and change its steps.",
      method: "GET",
      path: `/workflows/${publicId(id)}`,
    },
  };
}

function failingItem({ id, name, failed }: ReturnType<typeof readFailing>): AttentionItem {
  return {
    code: "workflow_failing",
    severity: "warn",
    message: `Executions of the workflow that began within the last ${shownDays} days failed.`,
    count: failed,
    ...(failed === maxFailed ? { isAtLeast: true as const } : {}),
    since: null,
    target: { type: "workflow", id: publicId(id), name },
    action: {
      text: "Read the errors of these executions.",
      method: "GET",
      path: `/workflows/${publicId(id)}/executions?status=FAILED`,
    },
  };
}
