import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import { minuteMs } from "../../../core/time";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import { shardOfContact } from "../../../engine/workflows/shards";
import type { Context } from "../../../platform/context";
import type { ExecutionView } from "../../../platform/workflow-shards";
import { requireWorkflow } from "./execution";
import type { StartExecution } from "./schema";

/**
 * Implements `POST /workflows/{id}/executions`. Also works for a disabled workflow, so that a draft can be tried.
 * Throws NotFound, and Conflict if the workflow does not let the contact enter again.
 */
export async function startExecution(
  ctx: Context,
  workflowId: Id,
  { contactId, context }: StartExecution,
): Promise<ExecutionView> {
  const { allowReentry } = await requireWorkflow(ctx, workflowId);
  await requireContact(ctx, contactId);
  const { address, shard } = shardOfContact(ctx, contactId);
  const key = ctx.idempotencyKey;
  const started = await shard.start(address, {
    ...{ workflowId, contactId, allowReentry, context: context ?? null },
    // The shard always gets a key (a random one if the request has none), so that the call can be repeated if the shard
    // is reset meanwhile.
    request:
      key === null
        ? { key: `call:${crypto.randomUUID()}`, ttlMs: minuteMs }
        : { key: `${ctx.callerKind}:${key}`, ttlMs: ctx.config.idempotencyTtlMs },
  });
  if (!started) throw reentryRefused(contactId, allowReentry);
  return started;
}

export function reentryRefused(contactId: Id, allowReentry: boolean): Conflict {
  const [message, suggestion] = allowReentry
    ? ["The contact is in this workflow: it has an active execution.", "Wait until that execution ends, or cancel it."]
    : [
        "The contact has been in this workflow before, and the workflow does not allow re-entry.",
        "Set allowReentry of the workflow to true, so that contacts can enter again.",
      ];
  return new Conflict(message, { suggestion, details: { contactId: publicId(contactId) } });
}

async function requireContact(ctx: Context, id: Id): Promise<void> {
  const found = await selectFirst(
    ctx.db,
    sql`SELECT id FROM contacts WHERE ${inProject(ctx)} AND id = ${id}`,
    columns({ id: asId }),
  );
  if (!found) throw new NotFound("contact", id);
}
