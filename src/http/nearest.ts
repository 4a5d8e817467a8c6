import type { RouterRoute } from "hono/types";
import { closestTo } from "../core/closest";
import { patternOf } from "./route-table";

/** The endpoints of other APIs, and the paths here that they stand for. */
const elsewhere = new Map([
  ["POST /emails", "/v1/send"],
  ["POST /email", "/v1/send"],
  ["POST /emails/send", "/v1/send"],
  ["POST /mail/send", "/v1/send"],
  ["POST /messages", "/v1/send"],
  ["POST /events", "/v1/track"],
]);

/** Base URLs of other installations and clients end in one of these. */
const bases = /^(\/+(api|v1))+(?=\/)/;

/**
 * Finds the path here for one with another base URL or another API's name; null when there is none. `endpoints` has no
 * middleware.
 */
export function relocated(endpoints: RouterRoute[], method: string, path: string): string | null {
  const bare = path.replace(bases, "").replaceAll(/\/{2,}/g, "/");
  // A workflow is replaced at its document.
  const candidates = [`/v1${bare}`, bare, elsewhere.get(`${method} ${bare}`), `${bare}/document`];
  const isThere = (candidate: string) =>
    endpoints.some((route) => route.method === method && patternOf(route.path).test(candidate));
  return candidates.find((candidate) => candidate !== undefined && candidate !== path && isThere(candidate)) ?? null;
}

/** A sentence that names the endpoint that was probably meant; null when none is near. */
export function nearest(endpoints: RouterRoute[], method: string, path: string): string | null {
  const moved = relocated(endpoints, method, path);
  if (moved !== null) return `Here it is ${method} ${moved}.`;
  const routes = new Map(
    endpoints
      .filter((route) => route.method === method && !isLinkOfMail(route))
      .flatMap(({ path: pattern }) => {
        const filled = fill(pattern, path);
        return filled === null ? [] : [[filled, pattern] as const];
      }),
  );
  const found = routes.get(closestTo(path, routes.keys()) ?? "");
  return found === undefined ? null : `Did you mean ${method} ${found.replace(/:([^/]+)/g, "{$1}")}?`;
}

/** These paths are copied whole from mails, never typed. */
function isLinkOfMail({ path }: RouterRoute): boolean {
  return path.endsWith("/:token");
}

/** Fills the values of the path into the pattern's parameters; null when the two differ in their number of segments. */
function fill(pattern: string, path: string): string | null {
  const [names, values] = [pattern.split("/"), path.split("/")];
  if (names.length !== values.length) return null;
  return names.map((name, index) => (name.startsWith(":") ? values[index] : name)).join("/");
}
