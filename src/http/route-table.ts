import type { ParamIndexMap, Result, Router } from "hono/router";

interface RouteEntry<T> {
  method: string;
  path: string;
  handler: T;
}

/** All handlers for the requests of one endpoint, in the order of registration, assembled once. */
interface Chain<T> {
  pattern: RegExp;
  handlers: [T, ParamIndexMap][];
  /**
   * The last segments that are not ids, because they are the names of other endpoints: `fields` for `/contacts/:id`.
   */
  names: Set<string | undefined>;
}

/** The endpoints by method and first segment. If several patterns match, the one that was registered first answers. */
type Table<T> = Map<string, Chain<T>[]>;

/**
 * Replaces hono's routers. Hono's fast router refuses `/contacts/fields` next to `/contacts/:id`, and its other router
 * visits all middleware for each request. This router relies on the rules of our paths. An endpoint begins with a
 * literal segment and has one method. Middleware accepts every method, and applies to `*`, one path, or everything
 * below one segment.
 */
export function routeTable<T>(): Router<T> {
  const entries: RouteEntry<T>[] = [];
  let table: Table<T> | null = null;
  return {
    name: "table",
    add(method, path, handler) {
      entries.push({ method, path, handler });
      table = null;
    },
    match(method, path) {
      table ??= buildTable(entries);
      for (const { pattern, handlers, names } of table.get(`${method} ${firstSegment(path)}`) ?? []) {
        const [whole, ...values] = pattern.exec(path) ?? [];
        if (whole !== undefined && !names.has(values.at(-1))) return [handlers, values];
      }
      const middleware = entries.filter((entry) => isMiddlewareOf(path, entry));
      return [middleware.map(({ handler }) => [handler, {}]), []] satisfies Result<T>;
    },
  };
}

const everyMethod = "ALL";

function buildTable<T>(entries: RouteEntry<T>[]): Table<T> {
  const endpoints = entries.filter(({ method }) => method !== everyMethod);
  // Hono registers one entry per handler, so a route can have several entries.
  const distinct = new Map(endpoints.map((entry) => [`${entry.method} ${entry.path}`, entry]));
  const table: Table<T> = new Map();
  for (const { method, path } of distinct.values()) {
    const key = `${method} ${firstSegment(path)}`;
    table.set(key, [...(table.get(key) ?? []), chainOf(entries, method, path)]);
  }
  return table;
}

function chainOf<T>(entries: RouteEntry<T>[], method: string, path: string): Chain<T> {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name = ""], index): [string, number] => [name, index]);
  const own = entries.filter(
    (entry) => (entry.method === method && entry.path === path) || isMiddlewareOf(path, entry),
  );
  return {
    pattern: patternOf(path),
    handlers: own.map(({ handler }) => [handler, Object.fromEntries(names)]),
    names: new Set(endsWithId(path) ? namesBeside(entries, path) : []),
  };
}

/** Returns the literal last segments of the endpoints whose paths differ from the given one in that segment alone. */
function namesBeside(entries: RouteEntry<unknown>[], path: string): string[] {
  const before = path.slice(0, path.lastIndexOf("/") + 1);
  const beside = entries.filter((entry) => entry.method !== everyMethod && entry.path.startsWith(before));
  return beside.map((entry) => entry.path.slice(before.length)).filter((rest) => !/[/:*]/.test(rest));
}

/** Whether a route ends with an id. Unlike the name of an event, an id is never equal to the name of an endpoint. */
export function endsWithId(route: string): boolean {
  return /\/:(id|\w+Id)$/.test(route);
}

function isMiddlewareOf(path: string, entry: RouteEntry<unknown>): boolean {
  if (entry.method !== everyMethod) return false;
  if (entry.path === "*" || entry.path === "/*") return true;
  if (!entry.path.endsWith("/*")) return entry.path === path;
  return `${path}/`.startsWith(entry.path.slice(0, -1));
}

const patterns = new Map<string, RegExp>();

/** Returns a pattern that matches the paths of a route and captures the values of its parameters. */
export function patternOf(route: string): RegExp {
  const known = patterns.get(route);
  if (known) return known;
  const pattern = new RegExp(`^${route.replaceAll(".", "\\.").replace(/:[^/]+/g, "([^/]+)")}$`);
  patterns.set(route, pattern);
  return pattern;
}

export function firstSegment(path: string): string {
  const end = path.indexOf("/", 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}
