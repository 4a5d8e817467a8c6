import { copyName } from "../../core/copy-name";
import { newId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import type { Context } from "../../platform/context";
import { insertTemplate, insertVersion } from "./save-statements";
import { maxNameLength } from "./schema";
import { getTemplate, type Template } from "./template";

/** `POST /templates/{id}/duplicate`. A large body is shared with the original, whose file stays as long as the project. */
export async function duplicateTemplate(ctx: Context, id: string): Promise<Template> {
  const { row, content: original } = await getTemplate(ctx, id);
  const content = { ...original, id: newId(), templateId: newId(), number: 1, createdAt: ctx.now.getTime() };
  const name = copyName(row.name, maxNameLength);
  const batch = openBatch(ctx);
  // The copy sends nothing yet: whether its sender may send is asked when it does.
  batch.add(insertVersion(ctx, content, { isSenderChecked: false }));
  const inserted = batch.add(insertTemplate(ctx, { name, description: row.description, content }));
  await batch.commit();
  return { row: inserted.one, content };
}
