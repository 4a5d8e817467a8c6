import { type SQL, sql } from "drizzle-orm";
import { filterFields, topicField } from "../../../core/audience/fields";
import { kindOf } from "../../../core/contacts/column-kinds";
import { type FieldType, fieldType } from "../../../core/contacts/field-type";
import { emailDataKeys, serviceEvent } from "../../../core/events/service-event";
import { openBatch } from "../../../db/batch";
import { asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

interface WorkflowField {
  field: string;
  type: FieldType;
  category: "contact" | "event";
}

/** The maximum number of fields of one kind that are listed. More would be too many to choose from. */
const maxFields = 1_000;
/** The maximum number of events whose data is inspected. */
const maxEvents = 50;

/**
 * Implements `GET /workflows/fields`: lists the fields that a CONDITION may name. Fields of events come from the data
 * of recorded events: of those named `eventName`, or of the newest ones if no name is given.
 */
export async function listWorkflowFields(ctx: Context, eventName: string | undefined): Promise<WorkflowField[]> {
  const batch = openBatch(ctx);
  const custom = batch.add(selectCustom(ctx));
  const topics = batch.add(selectTopics(ctx));
  const ofEvents = batch.add(selectEventKeys(ctx, eventName));
  await batch.commit();
  const contact = new Map<string, FieldType>([
    ...filterFields.map((name): [string, FieldType] => [name, kindOf(name).type]),
    ...custom.all.map(({ key, type }): [string, FieldType] => [`data.${key}`, type]),
    ...topics.all.map(({ slug }): [string, FieldType] => [topicField(slug), "boolean"]),
  ]);
  const event = new Map<string, FieldType>([
    ["event.name", "string"],
    ["event.source", "string"],
    ...ownKeys(eventName).map((key) => eventField(key, "string")),
    ...ofEvents.all.map(({ key, kind, value }) => eventField(key, typeOf(kind, value))),
  ]);
  return [...listed(contact, "contact"), ...listed(event, "event")];
}

function listed(fields: Map<string, FieldType>, category: WorkflowField["category"]): WorkflowField[] {
  const found = [...fields].map(([field, type]) => ({ field, type, category }));
  return found.sort((one, other) => (one.field < other.field ? -1 : 1));
}

/** `event.source` is always the source of the event itself, so a key `source` in its data is `event.data.source`. */
function eventField(key: string, type: FieldType): [string, FieldType] {
  return [key === "source" ? `event.data.${key}` : `event.${key}`, type];
}

/**
 * Returns the data keys of an event that the service itself records. These keys are known even before the first event
 * with that name.
 */
function ownKeys(eventName: string | undefined): readonly string[] {
  const event = eventName === undefined ? undefined : serviceEvent(eventName);
  return [...(event?.isOfEmail ? emailDataKeys : []), ...(event?.fields ?? [])];
}

function selectCustom(ctx: Context) {
  return statement(
    sql`SELECT key, type FROM contact_fields WHERE ${inProject(ctx)} ORDER BY key LIMIT ${maxFields}`,
    columns({ key: asText, type: asOneOf<FieldType>() }),
  );
}

function selectTopics(ctx: Context) {
  return statement(
    sql`SELECT slug FROM topics WHERE ${inProject(ctx)} AND deleted_at IS NULL`,
    columns({ slug: asText }),
  );
}

/** The kind of a JSON value, as named by SQLite's json_each. */
type Kind = "true" | "false" | "integer" | "real" | "text" | "array" | "object";

function selectEventKeys(
  ctx: Context,
  eventName: string | undefined,
): Statement<{ key: string; kind: Kind; value: string | null }> {
  const some: SQL =
    eventName === undefined
      ? sql`events WHERE ${inProject(ctx)} ORDER BY id DESC`
      : sql`events INDEXED BY ix_events_name WHERE ${inProject(ctx)} AND name = ${eventName}`;
  return statement(
    sql`SELECT d.key, d.type AS kind, iif(d.type = 'text', substr(d.value, 1, 30), NULL) AS value
      FROM (SELECT data FROM ${some} LIMIT ${maxEvents}) e CROSS JOIN json_each(e.data) d
      WHERE d.type <> 'null' GROUP BY d.key ORDER BY d.key LIMIT ${maxFields}`,
    columns({ key: asText, kind: asOneOf<Kind>(), value: orNull(asText) }),
  );
}

function typeOf(kind: Kind, value: string | null): FieldType {
  if (kind === "integer" || kind === "real") return "number";
  if (kind === "true" || kind === "false") return "boolean";
  return value === null ? "string" : fieldType(value);
}
