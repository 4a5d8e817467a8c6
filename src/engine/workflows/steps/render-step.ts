import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { RenderLimitError, TemplateRenderError, TemplateSyntaxError } from "../../../core/templating/errors";
import { templateVariables } from "../../../core/templating/variables";
import { executionVariables, storedValues } from "../../../core/workflows/run-variables";
import { asFlag, asId, asJson, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import type { Scope } from "./arrival";

/** A contact as the Liquid of steps can read it. */
export interface RenderedContact {
  id: Id;
  email: string;
  subscribed: boolean;
  data: JsonObject;
}

export function selectContacts(ctx: Context, contactIds: Id[]): Statement<RenderedContact> {
  return statement(
    sql`SELECT c.id, c.email, c.subscribed, c.data FROM json_each(${JSON.stringify(contactIds)}) r
      CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value`,
    columns({ id: asId, email: asText, subscribed: asFlag, data: asJson<JsonObject>() }),
  );
}

/** Returns everything that the Liquid of a step can name, which is the same as in the execution's emails. */
export function variablesOf(contact: RenderedContact, scope: Scope): Record<string, unknown> {
  return templateVariables({
    contact: { ...contact, id: publicId(contact.id) },
    execution: executionVariables(storedValues(scope) ?? {}),
  });
}

/**
 * Whether the error means that the Liquid cannot be rendered with these values. If so, another attempt would fail as
 * well.
 */
export function isUnrenderable(error: unknown): error is Error {
  return (
    error instanceof RenderLimitError || error instanceof TemplateRenderError || error instanceof TemplateSyntaxError
  );
}
