import { sql } from "drizzle-orm";
import { reservedWarnings } from "../../../core/contacts/data";
import { type FieldFault, Invalid, NotFound } from "../../../core/errors";
import { type Id, readId } from "../../../core/ids";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { foreignTexts } from "../../../core/templating/foreign-syntax";
import { inSegmentTerms, wholeCondition } from "../../../core/workflows/branches";
import type { ConditionConfig } from "../../../core/workflows/config";
import { readConfig } from "../../../core/workflows/config-schema";
import { textsIn } from "../../../core/workflows/liquid";
import type { StepType } from "../../../core/workflows/step";
import { literalUrl } from "../../../core/workflows/webhook-config";
import { inProject } from "../../../db/scope";
import { guard, type Statement } from "../../../db/statement";
import { checkCondition } from "../../../engine/audience/named-segments";
import { checkOutboundUrl } from "../../../platform/check-outbound-url";
import type { Context } from "../../../platform/context";

/** A config that may be saved, with the guards for what it names. */
interface CheckedConfig {
  config: JsonObject;
  /** The template that the config names. */
  templateId: Id | null;
  guards: Statement[];
}

/** Reads the config of a step, and checks what it names. Throws Invalid. */
export async function checkConfig(ctx: Context, type: StepType, sent: JsonObject): Promise<CheckedConfig> {
  switch (type) {
    case "SEND_EMAIL": {
      const config = readConfig(type, sent);
      return { config: { ...config }, templateId: config.templateId ? readId(config.templateId) : null, guards: [] };
    }
    case "CONDITION": {
      const config = readConfig(type, sent);
      return { config: jsonOf(config), templateId: null, guards: [await checkNames(ctx, config)] };
    }
    case "WEBHOOK": {
      const config = readConfig(type, sent);
      checkOutboundUrl(ctx, { field: "config.url", url: config.url, judged: literalUrl(config.url) });
      warnOfForeign(ctx, { url: config.url, headers: config.headers, body: config.body });
      return { config: jsonOf(config), templateId: null, guards: [] };
    }
    case "UPDATE_CONTACT":
      if (isJsonObject(sent.data)) ctx.warnings.push(...reservedWarnings(sent.data, "config.data"));
      warnOfForeign(ctx, { data: sent.data });
      return { config: jsonOf(readConfig(type, sent)), templateId: null, guards: [] };
    default:
      return { config: jsonOf(readConfig(type, sent)), templateId: null, guards: [] };
  }
}

/** Warns of placeholders of other template languages, which would be sent unrendered. */
function warnOfForeign(ctx: Context, config: object): void {
  for (const { text, path } of textsIn(config)) {
    const field = ["config", ...path].join(".");
    ctx.warnings.push(...foreignTexts(text).map((message) => ({ field, message })));
  }
}

/** Safe cast: a config was read from JSON. */
function jsonOf(config: object): JsonObject {
  return config as JsonObject;
}

/** Returns the guard that the segments and topics of a condition are unchanged. */
async function checkNames(ctx: Context, config: ConditionConfig): Promise<Statement> {
  try {
    const { unmoved } = await checkCondition(ctx, inSegmentTerms(wholeCondition(config)), { at });
    return unmoved;
  } catch (error) {
    if (error instanceof Invalid) throw new Invalid(error.faults.map((fault) => placed(fault, config)));
    throw error;
  }
}

const at = "config.condition";

/** Returns a fault at its field in the config. The condition was made from the config, in the same order. */
function placed(fault: FieldFault, config: ConditionConfig): FieldFault {
  if ("condition" in config) return fault;
  const [, place, key] = /\.groups\.(\d+)\.filters\.0\.(\w+)$/.exec(fault.field) ?? [];
  if (key === undefined) return { ...fault, field: "config" };
  const isOfBranch = "mode" in config && key !== "field";
  return { ...fault, field: isOfBranch ? `config.branches.${place}.${key}` : `config.${key}` };
}

/** Returns the guard that a template exists; none for a step without a template. */
export function guardTemplate(ctx: Context, id: Id | null): Statement[] {
  if (id === null) return [];
  const isThere = sql`EXISTS (SELECT 1 FROM templates WHERE ${inProject(ctx)} AND id = ${id})`;
  return [guard(isThere, () => new NotFound("template", id))];
}

/** Only SEND_EMAIL steps have a template. */
export function insistOnMail(type: StepType, templateId: Id | null | undefined): void {
  if (type === "SEND_EMAIL" || !templateId) return;
  throw new Invalid([{ field: "templateId", code: "custom", message: `A ${type} step has no template` }]);
}
