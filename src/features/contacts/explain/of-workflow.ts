import { sql } from "drizzle-orm";
import { type Id, publicId, textOf } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import { isActive } from "../../../core/workflows/execution";
import { type MailAhead, mailAhead } from "../../../core/workflows/mail-ahead";
import { wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import { type ContactRow, type WorkflowExecutionRow, type WorkflowRow, workflowExecutions } from "../../../db/tables";
import { findJudgedEmails } from "../../../engine/recipients/of-email";
import { graphOf, type StoredGraph } from "../../../engine/workflows/graph";
import { shardOfContact } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { whyNotEntered } from "./not-entered";
import { explainJudged } from "./of-mail";
import type { Because, ContactExplanation } from "./schema";
import { findStops } from "./stops";

const readExecution = wholeRow(workflowExecutions);

interface DrawnWorkflow extends StoredGraph {
  row: WorkflowRow;
}

/** The maximum number of emails of an execution that are examined, newest first. */
const maxEmails = 20;

/**
 * Explains the mail of a workflow to a contact. Uses the emails and the current position of the contact's latest
 * execution.
 */
export async function explainWorkflowMail(
  ctx: Context,
  contact: ContactRow,
  workflow: DrawnWorkflow,
): Promise<ContactExplanation> {
  const execution = await findLatest(ctx, contact.id, workflow.row.id);
  if (execution === null) return whyNotEntered(ctx, contact, workflow.row);
  const { address, shard } = shardOfContact(ctx, contact.id);
  const [[view], mail] = await Promise.all([
    shard.get(address, [execution.id]),
    explainMailOf(ctx, contact, execution),
  ]);
  const because = [standing(workflow, execution), ...steps(view)];
  if (mail !== null) return { verdict: mail.verdict, because: [...mail.because, ...because] };
  if (!isActive(execution.status)) return { verdict: "NOT_RECEIVED", because };
  const stops = await findStops(ctx, { type: null, fromEmail: null });
  const at = execution.currentStepId;
  const ahead = at === null ? "perhaps" : mailAhead(graphOf(workflow), at);
  if (stops.length > 0) return { verdict: "NOT_RECEIVED", because: [...stops, ...because] };
  return {
    verdict: verdicts[ahead],
    because: [...because, ...messages[ahead].map((said) => ofWorkflow(workflow, said))],
  };
}

function findLatest(ctx: Context, contactId: Id, workflowId: Id): Promise<WorkflowExecutionRow | null> {
  return selectFirst(
    ctx.db,
    sql`SELECT * FROM workflow_executions WHERE ${inProject(ctx)} AND workflow_id = ${workflowId} AND id = (
      SELECT max(id) FROM workflow_executions INDEXED BY ix_workflow_executions_contact
      WHERE ${inProject(ctx)} AND contact_id = ${contactId} AND workflow_id = ${workflowId})`,
    readExecution,
  );
}

/**
 * Explains one email of an execution: the newest email that was received, or otherwise the newest of all. Null when
 * there is no email.
 */
async function explainMailOf(
  ctx: Context,
  contact: ContactRow,
  { id }: WorkflowExecutionRow,
): Promise<ContactExplanation | null> {
  const [from, to] = [`${textOf(id)}:`, `${textOf(id)};`];
  const emails = await findJudgedEmails(
    ctx,
    sql`INDEXED BY ux_emails_effect WHERE ${inProject(ctx, "e")} AND e.effect_id >= ${from} AND e.effect_id < ${to}
      ORDER BY e.effect_id DESC LIMIT ${maxEmails}`,
  );
  const newest = emails.toSorted((one, other) => other.at - one.at);
  const wasRead = newest.find(({ status }) => status === "DELIVERED" || status === "OPENED" || status === "CLICKED");
  const email = wasRead ?? newest[0];
  if (email === undefined) return null;
  return explainJudged(ctx, contact, email);
}

const verdicts: Record<MailAhead, ContactExplanation["verdict"]> = {
  always: "WILL_RECEIVE",
  perhaps: "UNKNOWN",
  never: "NOT_RECEIVED",
};

const messages: Record<MailAhead, Pick<Because, "code" | "message">[]> = {
  always: [],
  perhaps: [{ code: "mail_perhaps_ahead", message: "Some paths from here lead to an email, and others do not" }],
  never: [{ code: "no_mail_ahead", message: "No path from here leads to an email" }],
};

function ofWorkflow({ row }: DrawnWorkflow, said: Pick<Because, "code" | "message">): Because {
  return { at: null, ...said, source: { type: "workflow", id: publicId(row.id) } };
}

/** Returns the execution's current position, or how it ended. */
function standing({ steps }: DrawnWorkflow, row: WorkflowExecutionRow): Because {
  const source = { type: "execution" as const, id: publicId(row.id) };
  const step = steps.find(({ id }) => id === row.currentStepId);
  const where = step === undefined ? "" : ` at the step "${step.name}"`;
  const at = isoOrNull(row.completedAt) ?? iso(row.startedAt);
  switch (row.status) {
    case "RUNNING":
      return { at, code: "execution_running", message: `The contact is in the workflow now${where}`, source };
    case "WAITING": {
      const until =
        row.wakeAt === null ? "" : ` until ${iso(row.wakeAt)}${row.awaits === null ? "" : " at the latest"}`;
      const what = row.awaits === null ? "" : ` for the event ${row.awaits}`;
      return { at, code: "execution_waiting", message: `The contact waits${where}${what}${until}`, source };
    }
    case "COMPLETED":
      return { at, code: "execution_completed", message: "The contact reached the end of the workflow", source };
    case "EXITED":
      return {
        at,
        code: "execution_exited",
        message: `The contact left the workflow: ${row.exitReason ?? "no reason is given"}`,
        source,
      };
    case "FAILED":
      return {
        at,
        code: "execution_failed",
        message: `The execution failed${where}: ${row.error ?? "no reason is given"}`,
        source,
      };
    case "CANCELLED":
      return {
        at,
        code: "execution_cancelled",
        message: `The execution was cancelled: ${row.exitReason ?? "by a call"}`,
        source,
      };
  }
}

/** Returns the SEND_EMAIL steps that did not send an email. */
function steps(view: ExecutionView | undefined): Because[] {
  return (view?.steps ?? []).flatMap(({ type, status, stepId, name, reason, error, startedAt }): Because[] => {
    const why = error ?? reason;
    if (type !== "SEND_EMAIL" || why === null || (status !== "SKIPPED" && status !== "FAILED")) return [];
    const [code, word] =
      status === "SKIPPED" ? (["step_skipped", "was skipped"] as const) : (["step_failed", "failed"] as const);
    const message = `The step "${name}" ${word}: ${why}`;
    return [{ at: iso(startedAt), code, message, source: { type: "step", id: publicId(stepId) } }];
  });
}
