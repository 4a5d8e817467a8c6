import { type SQL, sql } from "drizzle-orm";
import { type ActivityType, type NamesOfTypes, namesOfService, namesOfTypes } from "../../core/events/activity-types";
import { type EventNames, onlyName } from "../../engine/events/search";

/** Returns the names of the events that belong to these types of activity. */
export function eventNamesOf(types: readonly ActivityType[]): EventNames {
  const { exact, patterns, areCallers } = namesOfTypes(types);
  const [only] = exact;
  if (only !== undefined && types.length === 1) return onlyName(only);
  return {
    only: null,
    include: (name) => {
      const own = matchesAny(name, { exact, patterns });
      return areCallers ? sql`(${own} OR ${isCallers(name)})` : sql`(${own})`;
    },
  };
}

/** Matches a name that is a caller's own, and not one of the service. */
export function isCallers(name: SQL): SQL {
  return sql`NOT (${matchesAny(name, namesOfService)})`;
}

/**
 * Matches a name. Names and patterns are the service's own words, so it is safe to write them into the SQL. Comparing
 * them one by one needs no temporary b-tree, whose lookups D1 would count as rows read.
 */
function matchesAny(name: SQL, { exact, patterns }: Pick<NamesOfTypes, "exact" | "patterns">): SQL {
  const conditions = [
    ...exact.map((text) => sql`${name} = ${quoted(text)}`),
    ...patterns.map((pattern) => sql`${name} GLOB ${quoted(pattern)}`),
  ];
  return conditions.length === 0 ? sql`false` : sql.join(conditions, sql` OR `);
}

function quoted(text: string): SQL {
  return sql.raw(`'${text}'`);
}
