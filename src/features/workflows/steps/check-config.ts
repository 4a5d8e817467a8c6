import { sql } from "drizzle-orm";
import { Invalid, NotFound } from "../../../core/errors";
import { type Id, readId } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { readConfig } from "../../../core/workflows/config";
import { definitionOf, type StepType } from "../../../core/workflows/step";
import { inProject } from "../../../db/scope";
import { guard, type Statement } from "../../../db/statement";
import { effectOf } from "../../../engine/workflows/step-effects";
import type { Context } from "../../../platform/context";

/** A checked config, with guards for the records that it refers to. */
interface CheckedConfig {
  config: JsonObject;
  /** The template that the config names. */
  templateId: Id | null;
  guards: Statement[];
}

/** Reads the config of a step, and runs the checks of the step's type on it. Throws Invalid. */
export async function checkConfig(ctx: Context, type: StepType, sent: JsonObject): Promise<CheckedConfig> {
  // The cast is safe: the config was read from JSON.
  const config = readConfig(type, sent) as JsonObject;
  const guards = await effectOf(type)?.check?.(ctx, config, sent);
  return { config, templateId: templateIn(type, config), guards: guards ?? [] };
}

/** Returns the template that a config names. Only types that send mail have one. */
export function templateIn(type: StepType, { templateId }: JsonObject): Id | null {
  return definitionOf(type).hasTemplate && typeof templateId === "string" ? readId(templateId) : null;
}

/** Returns a guard which requires that a template exists; none for a step without a template. */
export function guardTemplate(ctx: Context, id: Id | null): Statement[] {
  if (id === null) return [];
  const isThere = sql`EXISTS (SELECT 1 FROM templates WHERE ${inProject(ctx)} AND id = ${id})`;
  return [guard(isThere, () => new NotFound("template", id))];
}

/** Throws Invalid when a template is given for a step that sends no mail. */
export function refuseTemplate(type: StepType, templateId: Id | null | undefined): void {
  if (definitionOf(type).hasTemplate || !templateId) return;
  throw new Invalid([{ field: "templateId", code: "custom", message: `A ${type} step has no template` }]);
}
