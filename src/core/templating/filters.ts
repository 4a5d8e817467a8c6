import { type FilterImplOptions, filters as liquidFilters } from "liquidjs";
import { type Budget, elementCount } from "./budget";
import { budgetOf } from "./context";
import { asNumber } from "./numbers";
import { printed } from "./output";

/**
 * Filters that are not offered. The hashes may return promises, which cannot be awaited while rendering. `sample` is
 * random, and a retry must render the same mail as the first attempt.
 */
const REMOVED = ["sha256", "hmac_sha256", "sample"];

/** Filters that escape their result. If it were escaped again, `&lt;` would become `&amp;lt;`. */
const ESCAPING = new Set(["escape", "escape_once", "xml_escape"]);

/**
 * The positions of a filter's numeric arguments. Arithmetic filters are missing: they convert their arguments
 * themselves.
 */
const NUMBERS: Record<string, number[]> = {
  slice: [0, 1],
  truncate: [0],
  truncatewords: [0],
  json: [0],
  jsonify: [0],
  inspect: [0],
};

type Price = (budget: Budget, value: unknown, args: unknown[]) => void;

/** Returns all offered Liquid filters; each pays for its work in advance. */
export function meteredFilters(): Map<string, FilterImplOptions> {
  const offered = Object.entries(liquidFilters).filter(([name]) => !REMOVED.includes(name));
  return new Map(offered.map(([name, filter]) => [name, metered(name, filter)]));
}

function metered(name: string, filter: FilterImplOptions): FilterImplOptions {
  const plain = typeof filter === "function" ? { handler: filter, raw: ESCAPING.has(name) } : filter;
  const pay = PRICES[name] ?? rewriting;
  const numbers = NUMBERS[name] ?? [];
  return {
    raw: plain.raw,
    handler(value, ...given) {
      const args = given.map((arg, index) => (numbers.includes(index) ? asNumber(arg) : arg));
      pay(budgetOf(this.context), value, args);
      return plain.handler.call(this, value, ...args);
    },
  };
}

function nothing(): void {}

/** Pays for a text search, which starts over at each place where it almost matched. */
export function chargeSearching(budget: Budget, value: unknown, sought: unknown): void {
  budget.charge((budget.chargeReading(value) * budget.chargeReading(sought)) / 20);
}

/** Pays for a filter that makes a new text from the old one, which takes several times as long as reading. */
function rewriting(budget: Budget, value: unknown, args: unknown[]): void {
  const units = budget.chargeReading(value) + budget.chargeReading(args);
  budget.charge(units * 5);
}

/** Pays for a conversion to bytes and back, which takes twice as long as rewriting. */
function encoding(budget: Budget, value: unknown, args: unknown[]): void {
  rewriting(budget, value, args);
  rewriting(budget, value, args);
}

/** Pays per element for a property lookup, which may be a long path or an expression. */
function perElement(budget: Budget, value: unknown, args: unknown[]): void {
  budget.chargeReading(value);
  budget.charge(elementCount(value) * (200 + budget.chargeReading(args) * 10));
}

/**
 * Pays for sorting, which compares each element about log n times; a comparison may read all of the largest element.
 */
function sorting(budget: Budget, value: unknown, args: unknown[]): void {
  perElement(budget, value, args);
  if (!Array.isArray(value)) return;
  const largest = value.reduce<number>((most, element) => Math.max(most, budget.chargeReading(element)), 0);
  budget.charge(value.length * Math.log2(value.length + 1) * largest);
}

/**
 * Pays for indentation. Each line is indented by the depth of its value, so a deep value becomes a much longer text.
 */
function indenting(budget: Budget, value: unknown, args: unknown[]): void {
  rewriting(budget, value, args);
  budget.chargeIndenting(value, Math.min(10, asNumber(args[0]) ?? 0));
}

function searching(budget: Budget, value: unknown, args: unknown[]): void {
  rewriting(budget, value, args);
  chargeSearching(budget, value, args[0]);
}

/**
 * Pays for a formatted date. Each call creates a formatter for the names of months and days, and one for a time zone.
 * Widths in a format, such as the 10 in `%10d`, are matched in quadratic time.
 */
function dating(budget: Budget, value: unknown, [format, zone]: unknown[]): void {
  budget.chargeReading([value, zone]);
  const text = printed(format ?? "%A %B", budget);
  const names = text.match(/[aAbBhcxX]/g)?.length ?? 0;
  budget.charge(2_000 + text.length ** 2 + (names + (zone === undefined ? 0 : 3)) * 6_000);
}

const PRICES: Record<string, Price> = {
  raw: nothing,
  default: nothing,
  size: nothing,
  first: nothing,
  last: nothing,
  sort: sorting,
  sort_natural: sorting,
  remove: searching,
  remove_first: searching,
  remove_last: searching,
  replace: searching,
  replace_first: searching,
  replace_last: searching,
  split: searching,
  json: indenting,
  jsonify: indenting,
  inspect: indenting,
  base64_encode: encoding,
  base64_decode: encoding,
  date: dating,
  date_to_xmlschema: dating,
  date_to_rfc822: dating,
  date_to_string: dating,
  date_to_long_string: dating,
};

for (const name of ["map", "sum", "where", "reject", "group_by", "has", "find", "find_index"]) {
  PRICES[name] = perElement;
  PRICES[`${name}_exp`] = perElement;
}
