import { type SQL, sql } from "drizzle-orm";
import { compileChoice, type Resolver } from "../../../core/audience/compile";
import { type FilterCondition, filtersOf, maxFilters } from "../../../core/audience/condition";
import { type FilterColumn, filterFields } from "../../../core/audience/fields";
import { jsonOperand } from "../../../core/audience/operand";
import { chunksOfBytes } from "../../../core/chunks";
import { type Id, textOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { type ExecutionValues, executionValue, rootOf } from "../../../core/workflows/run-fields";
import { inSegmentTerms } from "../../../core/workflows/steps/condition-branches";
import { contactResolver, type Segments } from "../../../db/audience";
import { contactColumn } from "../../../db/contact-columns";
import { asFlag, asJson, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import type { ContactRow } from "../../../db/tables/index";
import type { Context } from "../../../platform/context";
import { loadSegments } from "../../audience/named-segments";
import { describeSeen, maxSeen, seenInSql } from "./seen-values";

/**
 * An execution whose conditions are evaluated. In a simulation, `instead` replaces what is stored about the contact.
 */
export interface Asking {
  contactId: Id;
  values: ExecutionValues;
  instead?: {
    contact: Pick<ContactRow, FilterColumn | "data">;
    /** Simulated events, in addition to those of the log. Each id is made from the event's time. */
    events: { id: Id; name: string }[];
  };
}

/**
 * Either the index of the first condition that holds (null if none does), with the values of the fields that were read,
 * or "gone" if the contact does not exist.
 */
export type Decision = { first: number | null; because?: string } | "gone";

/**
 * Thrown if a segment that the condition names has grown since the condition was saved, so that the whole condition is
 * now too large.
 */
export class ConditionTooLarge extends Error {}

/** The maximum total size of the execution values that one statement carries, in bytes. */
const maxBytes = 1_000_000;

/**
 * Finds the index of the first condition that holds for each execution. One statement covers up to a hundred
 * executions. Contacts, events and memberships are read as they are now; `now` is the end of every time window.
 */
export async function decide(
  ctx: Context,
  given: FilterCondition[],
  executions: Asking[],
  now: Date = ctx.clock(),
): Promise<Decision[]> {
  const conditions = given.map(inSegmentTerms);
  const named = fieldsOf(conditions);
  // Each row stores the values of its execution's fields, keyed by the index of the field in this list.
  const fields = named.filter((field) => rootOf(field) !== null);
  const segments = await loadSegments(ctx, { logic: "OR", groups: conditions.flatMap(({ groups }) => groups) });
  const choice = compileChoice(conditions, executionResolver(segments, fields), now);
  if (choice.filters > maxFilters) {
    throw new ConditionTooLarge(`With the segments it names, the condition has more than ${maxFilters} filters`);
  }
  const seen = named.slice(0, maxSeen);
  const isSimulated = executions.some(({ instead }) => instead !== undefined);
  const asOfNow = isSimulated && [...segments.values()].includes("members") ? ["memberships are as of now"] : [];
  const decisions: Decision[] = [];
  const rows = executions.map((execution) => ({ execution, text: JSON.stringify(rowOf(execution, fields)) }));
  for (const chunk of chunksOfBytes(rows, maxBytes, ({ text }) => text)) {
    const found = await select(
      ctx.db,
      sql`WITH ${choice.values},
          r (ordinal, value) AS MATERIALIZED (SELECT key, value FROM json_each(${`[${chunk.map(({ text }) => text).join()}]`}))
          ${chunk.some(({ execution }) => execution.instead) ? insteadOfRows(ctx) : sql``}
        SELECT c.id IS NOT NULL AS is_there, ${choice.first} AS decision, ${seenOfContact(seen)} AS seen
        FROM r LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>'c' ORDER BY r.ordinal`,
      columns({ isThere: asFlag, decision: orNull(asNumber), seen: asJson<JsonObject>() }),
    );
    found.forEach(({ isThere, decision, seen: ofContact }, index) => {
      const values = chunk[index]?.execution.values;
      if (!isThere || !values) decisions.push("gone");
      else decisions.push({ first: decision, because: because([describeSeen(seen, ofContact, values), ...asOfNow]) });
    });
  }
  return decisions;
}

function because(parts: (string | undefined)[]): string | undefined {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join(", ");
}

/** Returns the fields of contacts and executions that the conditions name. */
function fieldsOf(conditions: FilterCondition[]): string[] {
  const tests = conditions.flatMap((condition) => [...filtersOf(condition)].map(({ test }) => test));
  return [...new Set(tests.flatMap((test) => (test.kind === "field" ? [test.field] : [])))];
}

function seenOfContact(fields: string[]): SQL {
  const ofContact = fields.filter((field) => rootOf(field) === null);
  return sql`json_object(${sql.join(
    ofContact.map((field) => sql`${field}, ${seenInSql(field)}`),
    sql`, `,
  )})`;
}

function rowOf({ contactId, values, instead }: Asking, fields: string[]): JsonObject {
  return {
    c: textOf(contactId),
    ...(instead && {
      contact: { ...instead.contact },
      events: instead.events.map(({ id, name }) => [textOf(id), name]),
    }),
    ...Object.fromEntries(fields.map((field, index) => [String(index), executionValue(values, field)])),
  };
}

/**
 * Defines the simulated contacts and events under the names of the real tables, so that the compiled conditions need no
 * change.
 */
function insteadOfRows(ctx: Context): SQL {
  const names = filterFields.map((name) => contactColumn(name));
  const values = filterFields.map((name) => sql.raw(`r.value->>'$.contact.${name}'`));
  return sql`, contacts (project_id, id, ${sql.join(names, sql`, `)}, data) AS (
      SELECT ${ctx.project.number}, r.value->>'c', ${sql.join(values, sql`, `)}, r.value->'$.contact.data' FROM r),
    events (project_id, name, contact_id, id) AS NOT MATERIALIZED (
      SELECT project_id, name, contact_id, id FROM main.events
      UNION ALL SELECT ${ctx.project.number}, e.value->>1, r.value->>'c', e.value->>0
      FROM r CROSS JOIN json_each(r.value, '$.events') e)`;
}

function executionResolver(segments: Segments, fields: string[]): Resolver {
  const ofContact = contactResolver(segments);
  return {
    ...ofContact,
    field(name, bind) {
      const index = fields.indexOf(name);
      return index < 0 ? ofContact.field(name, bind) : jsonOperand(sql`r.value`, String(index), bind);
    },
  };
}
