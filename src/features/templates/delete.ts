import { eq, sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { isDeleted } from "../../db/own-rows";
import { asId, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import { projects } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { getTemplate } from "../../engine/mail/template";
import { putAway } from "../../engine/trash/put-away";
import type { Context } from "../../platform/context";
import { auditedTemplate } from "./audited";
import { stepsWith } from "./template";

/**
 * `DELETE /templates/{id}`: puts the template into the trash. Its versions stay, because accepted mail and a restore
 * need them. Throws Conflict while a workflow step uses the template. A concurrent call that would use the template
 * finds it deleted. Also throws Conflict for the project's confirmation template. That setting is in the control
 * database, so this call can miss a concurrent change of the setting. Calls with `confirm: true` are then refused with
 * a 409.
 */
export async function deleteTemplate(ctx: Context, id: Id): Promise<void> {
  const setting = await ctx.control
    .select({ confirmationTemplateId: projects.confirmationTemplateId })
    .from(projects)
    .where(eq(projects.number, ctx.project.number))
    .get();
  if (setting?.confirmationTemplateId === id) throw confirmsSubscriptions();
  await getTemplate(ctx, id);
  const batch = openBatch(ctx);
  batch.recognise(isDeleted("templates", ctx, id));
  batch.guard(sql`NOT EXISTS (SELECT 1 FROM ${stepsWith(ctx, id)})`, async () =>
    templateInUse(await workflowsWith(ctx, id)),
  );
  recordChange(batch, ctx, auditedTemplate(ctx, id));
  putAway(batch, ctx, { type: "template", id });
  const deleted = batch.add(
    statement(sql`DELETE FROM templates WHERE ${inProject(ctx)} AND id = ${id} RETURNING id`, columns({ id: asId }), {
      again: sql`SELECT ${id} AS id`,
    }),
  );
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("template", id);
}

/** The maximum number of workflows that a refusal lists. */
const maxListed = 1_000;

interface Named {
  id: string;
  name: string;
}

async function workflowsWith(ctx: Context, id: Id): Promise<Named[]> {
  const found = await select(
    ctx.db,
    sql`SELECT DISTINCT w.id, w.name FROM (SELECT * FROM ${stepsWith(ctx, id)}) s
      CROSS JOIN workflows w ON w.project_id = s.project_id AND w.id = s.workflow_id ORDER BY w.id LIMIT ${maxListed}`,
    columns({ id: asId, name: asText }),
  );
  return found.map((row) => ({ id: publicId(row.id), name: row.name }));
}

function templateInUse(workflows: Named[]): Conflict {
  return new Conflict("Steps of workflows use this template. Nothing was deleted.", {
    suggestion: "Give the steps of the workflows listed in details another template, then delete this one again.",
    details: { workflows },
  });
}

export function confirmsSubscriptions(): Conflict {
  return new Conflict("This is the project's confirmation template, which `confirm: true` mails.", {
    suggestion:
      "Have the operator name another template, or null, with PATCH /admin/projects/{id} { confirmationTemplateId }.",
    details: { setting: "confirmationTemplateId" },
  });
}
