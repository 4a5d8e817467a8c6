import { getPath } from "hono/utils/url";

/** Matches a path of one of Plunk's three endpoints, with any base URL that Plunk's clients might put before it. */
const plunkPath = /^(?:\/+api)?(?:\/+v1)?\/+(send|track|verify)$/;

/**
 * Returns the path by which the route of a request is found. A slash at the end makes no difference. The public
 * endpoints answer under every base URL of Plunk's clients: `/send` and `/api/v1/send` are equivalent to `/v1/send`.
 */
export function pathOf(request: Request): string {
  const path = getPath(request);
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const [, endpoint] = plunkPath.exec(bare) ?? [];
  return endpoint === undefined ? bare : `/v1/${endpoint}`;
}
