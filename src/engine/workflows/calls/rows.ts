import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { asId, asText, columns } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { type CallRows, updateDue } from "../../outbound/rows";

/** The key of a call within its project. */
export interface CallKey {
  contactId: Id;
  effectId: string;
}

/** The calls of WEBHOOK steps. The receiver is a host, for all calls of a project's workflows to that host. */
export const workflowRows: CallRows<CallKey> = {
  calls: sql`workflow_calls`,
  dueIndex: sql`ix_workflow_calls_due`,
  receivers: sql`workflow_hosts`,
  name: sql`host`,
  receiver: sql`host`,
  isCallable: sql`true`,
  key: sql`contact_id, effect_id`,
  readKey: columns({ contactId: asId, effectId: asText }),
  valuesOf: ({ contactId, effectId }) => [contactId, effectId],
};

/** Inserts the rows of hosts that get their first calls. Must follow the insertion of calls, in the same batch. */
export function upsertHosts(ctx: Context, hosts: readonly string[]): Statement[] {
  return [
    statement(
      sql`INSERT INTO workflow_hosts (project_id, host)
        SELECT ${ctx.project.number}, value FROM json_each(${JSON.stringify(hosts)}) WHERE true ON CONFLICT DO NOTHING`,
    ),
    updateDue(ctx, workflowRows, hosts),
  ];
}
