import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { query } from "../../db/commit";
import type { Context } from "../../platform/context";

/**
 * `DELETE /templates/{id}`. Its versions stay: mail that was accepted with one may be on its way still. Workflow steps,
 * whose use of a template will refuse this with 409, come with workflows.
 */
export async function deleteTemplate(ctx: Context, id: string): Promise<void> {
  const deleted = await query(
    ctx.db,
    sql`DELETE FROM templates WHERE project_id = ${ctx.project.id} AND id = ${id} RETURNING id`,
  );
  if (deleted.length === 0) throw new NotFound("template", id);
}
