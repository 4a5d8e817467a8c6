import { copyName } from "../../core/copy-name";
import { newId } from "../../core/ids";
import { commit } from "../../db/commit";
import { readRow } from "../../db/rows";
import { templates } from "../../db/tables";
import type { Context } from "../../platform/context";
import { recordTemplate, recordVersion } from "./save-statements";
import { maxNameLength } from "./schema";
import { getTemplate, type Template } from "./template";

/** `POST /templates/{id}/duplicate`. A large body is shared with the original, whose file stays as long as the project. */
export async function duplicateTemplate(ctx: Context, id: string): Promise<Template> {
  const { row, content: original } = await getTemplate(ctx, id);
  const content = { ...original, id: newId(), templateId: newId(), number: 1, createdAt: ctx.now.getTime() };
  const name = copyName(row.name, maxNameLength);
  const [, inserted] = await commit(ctx.db, [
    // The copy sends nothing yet: whether its sender may send is asked when it does.
    recordVersion(ctx, content, { isSenderChecked: false }),
    recordTemplate(ctx, { name, description: row.description, content }),
  ]);
  return { row: readRow(templates, inserted?.[0]), content };
}
