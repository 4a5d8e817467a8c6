import { sql } from "drizzle-orm";
import type { FilterCondition } from "../../../core/audience/condition";
import type { Filter } from "../../../core/audience/filter";
import type { NamedContact } from "../../../core/contacts/named-contact";
import { type Id, publicId } from "../../../core/ids";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import { judge } from "../../../engine/audience/judge";
import { loadSegments } from "../../../engine/audience/named-segments";
import { getNamedContact } from "../../../engine/contacts/named-contact";
import type { Context } from "../../../platform/context";
import { getSegment } from "../segment";
import type { ExplainedCondition, ExplainedFilter } from "./schema";

interface Explanation {
  contactId: string;
  matches: boolean;
  condition: ExplainedCondition | null;
}

/**
 * `POST /segments/{id}/explain`: explains why a contact is in a segment or not. Throws NotFound for a missing segment
 * or contact.
 */
export async function explainSegment(ctx: Context, id: Id, named: NamedContact): Promise<Explanation> {
  const segment = await getSegment(ctx, id);
  const contact = await getNamedContact(ctx, named);
  const { condition } = segment;
  const shown = { contactId: publicId(contact.id) };
  if (condition === null) return { ...shown, matches: await hasMember(ctx, id, contact.id), condition: null };

  const segments = await loadSegments(ctx, condition);
  const { matches, filters } = await judge(ctx, contact, { condition, segments, now: ctx.now });
  const explained = new Map(
    filters.map(({ filter, matches, actual }): [Filter, ExplainedFilter] => [filter, { ...filter, matches, actual }]),
  );
  return { ...shown, matches, condition: explainedTree(condition, explained) };
}

async function hasMember(ctx: Context, segmentId: Id, contactId: Id): Promise<boolean> {
  const member = await selectFirst(
    ctx.db,
    sql`SELECT contact_id FROM segment_members WHERE ${inProject(ctx)} AND segment_id = ${segmentId}
      AND contact_id = ${contactId}`,
    columns({ contactId: asId }),
  );
  return member !== null;
}

function explainedTree(condition: FilterCondition, explained: Map<Filter, ExplainedFilter>): ExplainedCondition {
  return {
    logic: condition.logic,
    groups: condition.groups.map(({ filters, conditions }) => ({
      filters: filters.flatMap((filter) => explained.get(filter) ?? []),
      ...(conditions ? { conditions: explainedTree(conditions, explained) } : {}),
    })),
  };
}
