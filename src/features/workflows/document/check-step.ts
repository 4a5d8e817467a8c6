import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { Warning } from "../../../core/warning";
import { readConfig } from "../../../core/workflows/config";
import { Stale } from "../../../db/fresh";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { guard, type Statement, select } from "../../../db/statement";
import type { WorkflowStepRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { checkConfig, refuseTemplate, templateIn } from "../steps/check-config";
import { refuseOtherType } from "../steps/update";
import type { SentStep } from "./graph-schema";

/** A checked step of a document, with guards for the records that its config refers to. */
export interface CheckedStep extends Pick<SentStep, "key" | "type" | "position"> {
  name: string;
  config: JsonObject;
  templateId: Id | null;
  /** The field of the document that names the template. */
  templateField: string;
  guards: Statement[];
}

/**
 * Checks a step under the same rules as the calls for single steps. The records that its config refers to are only
 * looked up if the config has changed. Throws Invalid.
 */
export async function checkStep(
  ctx: Context,
  row: WorkflowStepRow | undefined,
  { key, type, name, config: sent, templateId, position }: SentStep,
  index: number,
): Promise<CheckedStep> {
  if (row) refuseOtherType(row, type);
  refuseTemplate(type, templateId);
  const read = readConfig(type, sent ?? {});
  const isKept = JSON.stringify(read) === JSON.stringify(row?.config);
  const warnings: Warning[] = [];
  const { config, guards } =
    row && isKept ? { config: row.config, guards: [] } : await checkConfig({ ...ctx, warnings }, type, sent ?? {});
  ctx.warnings.push(...warnings.map((warning) => ({ ...warning, field: `steps[${index}].${warning.field}` })));
  const inConfig = templateIn(type, config);
  const templateField = `steps[${index}].${templateId ? "templateId" : "config.templateId"}`;
  const ids = { templateId: templateId ?? inConfig, templateField };
  return { key, type, name: name ?? type, config, ...ids, position, guards };
}

/**
 * Returns a guard which requires that newly named templates exist. Throws NotFound, with the field of the first
 * template that does not exist.
 */
export async function guardTemplates(
  ctx: Context,
  before: readonly WorkflowStepRow[],
  checked: readonly CheckedStep[],
): Promise<Statement[]> {
  const had = new Set(before.map(({ templateId }) => templateId));
  const fields = new Map(
    checked.toReversed().flatMap(({ templateId, templateField }) => {
      return templateId === null || had.has(templateId) ? [] : [[templateId, templateField] as const];
    }),
  );
  if (fields.size === 0) return [];
  const ids = JSON.stringify([...fields.keys()].toReversed());
  const missing = sql`SELECT r.value AS id FROM json_each(${ids}) r WHERE NOT EXISTS
    (SELECT 1 FROM templates t WHERE ${inProject(ctx, "t")} AND t.id = r.value)`;
  const [first] = await select(ctx.db, missing, columns({ id: asId }));
  if (first) throw new NotFound("template", first.id, fields.get(first.id));
  return [guard(sql`NOT EXISTS (${missing})`, () => new Stale())];
}
