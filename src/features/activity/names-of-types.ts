import { type SQL, sql } from "drizzle-orm";
import { type ActivityType, type NamesOfTypes, namesOfService, namesOfTypes } from "../../core/events/activity-types";
import { type EventNames, onlyName } from "../../engine/events/search";

/** The names of events of these types. */
export function eventNamesOf(types: readonly ActivityType[]): EventNames {
  const { exact, patterns, areCallers } = namesOfTypes(types);
  const [only] = exact;
  if (only !== undefined && types.length === 1) return onlyName(only);
  return {
    only: null,
    include: (name) => {
      const own = isOneOf(name, { exact, patterns });
      return areCallers ? sql`(${own} OR ${isCallers(name)})` : sql`(${own})`;
    },
  };
}

/** The name is a caller's, not one of the service. */
export function isCallers(name: SQL): SQL {
  return sql`NOT (${isOneOf(name, namesOfService)})`;
}

/** Names and patterns are our own words. Compared one by one they need no tree, which D1 would count each look into. */
function isOneOf(name: SQL, { exact, patterns }: Pick<NamesOfTypes, "exact" | "patterns">): SQL {
  const conditions = [
    ...exact.map((text) => sql`${name} = ${quoted(text)}`),
    ...patterns.map((pattern) => sql`${name} GLOB ${quoted(pattern)}`),
  ];
  return conditions.length === 0 ? sql`false` : sql.join(conditions, sql` OR `);
}

function quoted(text: string): SQL {
  return sql.raw(`'${text}'`);
}
