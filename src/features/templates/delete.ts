import { eq, sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { projects } from "../../db/tables";
import type { Context } from "../../platform/context";

/**
 * `DELETE /templates/{id}`. Its versions stay, because accepted mail may still use them. Workflow steps that use a
 * template will refuse this with 409 once workflows exist. The project's confirmation template is refused too. The
 * setting is in the control database, so the two can only meet in a race: a call with `confirm: true` is then a 409.
 */
export async function deleteTemplate(ctx: Context, id: Id): Promise<void> {
  const setting = await ctx.control
    .select({ confirmationTemplateId: projects.confirmationTemplateId })
    .from(projects)
    .where(eq(projects.number, ctx.project.number))
    .get();
  if (setting?.confirmationTemplateId === id) throw confirmsSubscriptions();
  const batch = openBatch(ctx);
  const deleted = batch.add(
    statement(
      sql`DELETE FROM templates WHERE project_id = ${ctx.project.number} AND id = ${id} RETURNING id`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  if (deleted.count === 0) throw new NotFound("template", id);
}

export function confirmsSubscriptions(): Conflict {
  return new Conflict("This is the project's confirmation template, which `confirm: true` mails.", {
    suggestion:
      "Have the operator name another one, or null, with PATCH /admin/projects/{id} { confirmationTemplateId }.",
    details: { setting: "confirmationTemplateId" },
  });
}
