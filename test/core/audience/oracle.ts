import type { FilterCondition, FilterGroup, SegmentSource } from "../../../src/core/audience/condition";
import type { Filter } from "../../../src/core/audience/filter";
import type { JsonObject, JsonValue } from "../../../src/core/json";

/** A contact with all that conditions ask about it. */
export interface Person {
  email: string;
  subscribed: boolean;
  createdAt: number;
  data: JsonObject;
  events: { name: string; at: number }[];
  memberOf: string[];
  /** What they chose, by slug. */
  topics: Record<string, boolean>;
}

/** What holds for whoever did not choose. */
export const topicDefaults: Record<string, boolean> = { news: true, offers: false };

/**
 * What a condition means, in plain JavaScript: the rules of filters once more, written down independently of the SQL,
 * for tests alone. Values that are compared as dates have milliseconds at most.
 */
export function isMatch(
  condition: FilterCondition,
  person: Person,
  segments: Record<string, SegmentSource>,
  now: number,
): boolean {
  const ofGroup = ({ filters, conditions }: FilterGroup): boolean =>
    filters.every(ofFilter) && (!conditions || isMatch(conditions, person, segments, now));

  function ofFilter(filter: Filter): boolean {
    const { field, operator } = filter;
    if (operator === "memberOfSegment" || operator === "notMemberOfSegment") {
      const id = field === "segment" ? String(filter.value) : field.slice("segment.".length);
      const source = segments[id];
      if (source === undefined) throw new Error(`No segment ${id}`);
      const isMember = source === "members" ? person.memberOf.includes(id) : isMatch(source, person, segments, now);
      return isMember === (operator === "memberOfSegment");
    }
    if (/^topic\.(news|offers)$/.test(field) && operator.toLowerCase().endsWith("equals")) {
      const slug = field.slice("topic.".length);
      const isIn = person.topics[slug] ?? topicDefaults[slug];
      return operator === "equals" ? isIn === filter.value : isIn !== filter.value;
    }
    if (operator.toLowerCase().includes("triggered")) return ofEvents(filter, person, now);
    return ofField(filter, fieldOf(field, person), now);
  }

  return condition.logic === "AND" ? condition.groups.every(ofGroup) : condition.groups.some(ofGroup);
}

const unitMs = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

function windowOf({ value, unit }: Filter): number {
  if (!unit || typeof value !== "number") throw new Error("No window");
  return value * unitMs[unit];
}

function ofEvents(filter: Filter, { events }: Person, now: number): boolean {
  const name = filter.field.replace(/^event\./, "");
  const times = events.filter((event) => event.name === name).map(({ at }) => at);
  const hasOne = times.length > 0;
  const hasSince = () => times.some((at) => at >= now - windowOf(filter));
  switch (filter.operator) {
    case "triggered":
      return hasOne;
    case "notTriggered":
      return !hasOne;
    case "triggeredWithin":
      return hasSince();
    case "notTriggeredWithin":
      return !hasSince();
    case "triggeredOlderThan":
      return hasOne && !hasSince();
    default:
      throw new Error(filter.operator);
  }
}

/** A value, and what it is beside its JSON type: an address is compared without case, a time as a time. */
interface Found {
  value: JsonValue | undefined;
  is?: "address" | "time";
}

function fieldOf(field: string, { email, subscribed, createdAt, data }: Person): Found {
  if (field === "email") return { value: email, is: "address" };
  if (field === "subscribed") return { value: subscribed };
  if (field === "createdAt") return { value: new Date(createdAt).toISOString(), is: "time" };
  const key = field.slice("data.".length);
  if (Object.hasOwn(data, key)) return { value: data[key] };
  if (key.split(".").includes("")) return { value: undefined };
  return {
    value: key.split(".").reduce<JsonValue | undefined>((inner, part) => {
      const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
      return isObject && Object.hasOwn(inner, part) ? inner[part] : undefined;
    }, data),
  };
}

function ofField(filter: Filter, { value, is }: Found, now: number): boolean {
  const isPresent = value !== undefined && value !== null;
  const wanted = filter.value;
  switch (filter.operator) {
    case "exists":
      return isPresent;
    case "notExists":
      return !isPresent;
    case "equals":
      return isEqual(value, wanted, is);
    case "notEquals":
      return isPresent && !isEqual(value, wanted, is);
    case "contains":
      return hasIn(value, wanted, is);
    case "notContains":
      return isPresent && !hasIn(value, wanted, is);
    case "within":
      return isTime(value, (at) => at >= now - windowOf(filter) && at <= now);
    case "olderThan":
      return isTime(value, (at) => at < now - windowOf(filter));
    default:
      return isSorted(filter.operator, comparable(value), comparable(wanted));
  }
}

function isEqual(value: unknown, wanted: unknown, is: Found["is"]): boolean {
  if (typeof wanted === "string" && /^\d{4}-\d\d-\d\d$/.test(wanted) && timeOf(wanted) !== null) {
    const at = timeOf(value);
    return at !== null && new Date(at).toISOString().slice(0, 10) === wanted;
  }
  if (is === "time") return timeOf(wanted) !== null && timeOf(wanted) === timeOf(value);
  if (is === "address") return typeof wanted === "string" && wanted.toLowerCase() === value;
  return value === wanted;
}

function hasIn(value: unknown, wanted: unknown, is: Found["is"]): boolean {
  if (is === "time") return false;
  if (Array.isArray(value)) return value.some((item) => item === wanted);
  if (typeof value !== "string" || typeof wanted !== "string") return false;
  return value.includes(is === "address" ? wanted.toLowerCase() : wanted);
}

function timeOf(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(value))
    return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
}

function isTime(value: unknown, holds: (at: number) => boolean): boolean {
  const at = timeOf(value);
  return at !== null && holds(at);
}

/** A number as it is, and a date as its time. */
function comparable(value: unknown): { of: string; at: number } | null {
  if (typeof value === "number") return { of: "number", at: value };
  const at = timeOf(value);
  return at === null ? null : { of: "time", at };
}

function isSorted(operator: string, value: ReturnType<typeof comparable>, wanted: ReturnType<typeof comparable>) {
  if (value === null || wanted === null || value.of !== wanted.of) return false;
  switch (operator) {
    case "greaterThan":
      return value.at > wanted.at;
    case "greaterThanOrEqual":
      return value.at >= wanted.at;
    case "lessThan":
      return value.at < wanted.at;
    case "lessThanOrEqual":
      return value.at <= wanted.at;
    default:
      throw new Error(operator);
  }
}
