import type { Context as HonoContext } from "hono";
import type { CallInside } from "../core/inside-call";
import { bookmarkHeader } from "./bookmark";
import type { AppEnv } from "./router";

/** The headers that an inner call copies from the outer request. */
const passedOn = ["Authorization", "CF-Connecting-IP", "Host"];

/**
 * Lets a request call routes of this Worker with the rights of its caller. Each call is a request of its own, with its
 * own policy, rate limit, idempotency key and refusal.
 */
export function callsInside(c: HonoContext<AppEnv>): CallInside {
  const outer = c.req.raw;
  const shared = passedOn.flatMap((name) => {
    const value = outer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return async ({ method, path, body, headers }) => {
    const sent = new Headers([...shared, ["X-Request-ID", c.get("requestId")]]);
    if (body !== undefined) {
      sent.set("Content-Type", "application/json");
      // The length lets the route read the small body at once. Without it, the inner request could wait for memory that
      // the outer one holds.
      sent.set("Content-Length", String(new TextEncoder().encode(body).byteLength));
    }
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value === null) sent.delete(name);
      else sent.set(name, value);
    }
    const request = new Request(new URL(path, outer.url), { method, body: body ?? null, headers: sent });
    const answer = await c.get("answerInside")(request);
    // The outer answer shows what the inner calls have written, so it also has their newest bookmark.
    const bookmark = answer.headers.get(bookmarkHeader);
    if (bookmark !== null) c.header(bookmarkHeader, bookmark);
    return answer;
  };
}

/**
 * Answers with the refusal of an inner call. Operations are typed by their successes only, so the refusal has the type
 * `never`.
 */
export function refusedInside(c: HonoContext<AppEnv>, refusal: Response): never {
  return c.newResponse(refusal.body, refusal) as never;
}
