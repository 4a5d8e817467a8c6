import { sql } from "drizzle-orm";
import { type Audience, compile, type Resolver } from "../core/audience/compile";
import type { FilterCondition, SegmentSource } from "../core/audience/condition";
import { dataKeyOf, filterColumnOf } from "../core/audience/fields";
import { type Bind, jsonOperand, type Operand } from "../core/audience/operand";
import { operandOf } from "../core/contacts/column-kinds";
import { contactColumn } from "./contact-columns";
import { isInTopic } from "./topics";

/** Tells how to find the members of each segment that a condition names, directly or through other segments. */
export type Segments = ReadonlyMap<string, SegmentSource>;

/** Compiles a condition into the SQL that matches contacts, for a statement over `contacts c`. */
export function audienceOf(condition: FilterCondition, segments: Segments, now: Date): Audience {
  return compile(condition, contactResolver(segments), now);
}

/**
 * Returns a resolver for the names in a condition. It resolves them to the contact `c`, and to the contact's events,
 * topics and segments in the same project.
 */
export function contactResolver(segments: Segments): Resolver {
  return {
    field: contactOperand,
    hasEvent(name, firstId) {
      const notBefore = firstId === null ? sql`` : sql` AND e.id >= ${firstId}`;
      return sql`EXISTS (SELECT 1 FROM events e
        WHERE e.project_id = c.project_id AND e.name = ${name} AND e.contact_id = c.id${notBefore})`;
    },
    isMember: (segmentId) => sql`EXISTS (SELECT 1 FROM segment_members m
      WHERE m.project_id = c.project_id AND m.segment_id = ${segmentId} AND m.contact_id = c.id)`,
    topic: (slug) => isInTopic({ projectId: sql`c.project_id`, contactId: sql`c.id`, topic: { slug } }),
    segment: (id) => sourceIn(segments, id),
  };
}

function sourceIn(segments: Segments, id: string): SegmentSource {
  const source = segments.get(id);
  // If the filter were left out instead, contacts outside the segment would get mail.
  if (source === undefined) throw new Error(`The condition names segment ${id}, which was not loaded`);
  return source;
}

function contactOperand(field: string, bind: Bind): Operand {
  const column = filterColumnOf(field);
  if (column !== null) return operandOf(column, contactColumn(column, "c"), bind);
  const key = dataKeyOf(field);
  if (key === null) throw new Error(`A contact has no field ${field}`);
  return jsonOperand(sql`c.data`, key, bind);
}
