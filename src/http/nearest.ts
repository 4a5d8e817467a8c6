import type { RouterRoute } from "hono/types";
import { closestTo } from "../core/closest";
import { patternOf } from "./route-table";

/** The endpoints of other APIs, and our paths with the same meaning. */
const elsewhere = new Map([
  ["POST /emails", "/v1/send"],
  ["POST /email", "/v1/send"],
  ["POST /emails/send", "/v1/send"],
  ["POST /mail/send", "/v1/send"],
  ["POST /messages", "/v1/send"],
  ["POST /events", "/v1/track"],
]);

/** Matches the path of a base URL that other installations and clients use, such as `/api/v1`. */
const bases = /^(\/+(api|v1))+(?=\/)/;

/**
 * Returns our path for a request that used another base URL, or the path of another API; null when there is none.
 * `endpoints` must not contain middleware.
 */
export function relocated(endpoints: RouterRoute[], method: string, path: string): string | null {
  const bare = path.replace(bases, "").replaceAll(/\/{2,}/g, "/");
  const own = endpoints.filter((route) => route.method === method);
  const isThere = (candidate: string | undefined, routes = own) =>
    candidate !== undefined && candidate !== path && routes.some((route) => patternOf(route.path).test(candidate));
  const moved = [`/v1${bare}`, bare, elsewhere.get(`${method} ${bare}`)].find((candidate) => isThere(candidate));
  if (moved !== undefined) return moved;
  // A whole workflow is replaced at `/workflows/{id}/document`, so that path is suggested for a PUT to
  // `/workflows/{id}`. Only routes that end in `/document` are tried: any other route would take `document` for an id.
  const documents = own.filter((route) => route.path.endsWith("/document"));
  return isThere(`${bare}/document`, documents) ? `${bare}/document` : null;
}

/** Returns a sentence that names the endpoint that was probably meant; null when none is similar. */
export function nearest(endpoints: RouterRoute[], method: string, path: string): string | null {
  const moved = relocated(endpoints, method, path);
  if (moved !== null) return `Here it is ${method} ${moved}.`;
  const own = endpoints.filter((route) => route.method === method && !isLinkOfMail(route));
  const pattern = own.find((route) => isWithId(route, path))?.path ?? closestPattern(own, path);
  return pattern === undefined ? null : `Did you mean ${method} ${pattern.replace(/:([^/]+)/g, "{$1}")}?`;
}

/** Whether the path lacks only the id at its end, as in `DELETE /contacts`. */
function isWithId({ path: pattern }: RouterRoute, path: string): boolean {
  const end = pattern.lastIndexOf("/:");
  return pattern.slice(0, end) === path && !pattern.includes("/", end + 1);
}

function closestPattern(routes: RouterRoute[], path: string): string | undefined {
  const patterns = new Map(
    routes.flatMap(({ path: pattern }) => {
      const filled = fill(pattern, path);
      return filled === null ? [] : [[filled, pattern] as const];
    }),
  );
  return patterns.get(closestTo(path, patterns.keys()) ?? "");
}

/** Whether the route answers a link in emails. People copy such a link and never type its path. */
function isLinkOfMail({ path }: RouterRoute): boolean {
  return path.endsWith("/:token");
}

/** Fills the values of the path into the pattern's parameters; null when they differ in their number of segments. */
function fill(pattern: string, path: string): string | null {
  const [names, values] = [pattern.split("/"), path.split("/")];
  if (names.length !== values.length) return null;
  return names.map((name, index) => (name.startsWith(":") ? values[index] : name)).join("/");
}
