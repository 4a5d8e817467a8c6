import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { openBookmark, sealBookmark } from "../core/bookmark";
import { BadRequest } from "../core/errors";
import { KeyReused } from "../core/idempotency-errors";
import { anyCopy, openStates, type States } from "../db/states";
import type { Context } from "../platform/context";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

export const bookmarkHeader = "Petrel-Bookmark";
/** A caller sends this instead of a bookmark to let any copy answer, however old the copy is. */
const any = "any";

/** Describes the bookmark header of an answer, for the OpenAPI document. */
export const bookmarkOfAnswer = {
  schema: { type: "string" as const },
  description:
    "The state of the database that this answer shows. Send it with your next call to read from a copy " +
    "that is at least as new.",
};

/** Describes the bookmark header of a call, for the OpenAPI document. */
export const bookmarkOfCall = {
  name: bookmarkHeader,
  in: "header" as const,
  schema: { type: "string" as const },
  description:
    "The `Petrel-Bookmark` header of your last answer, or `any`, so that a copy of the database may " +
    "answer. Any other value is a 400.",
};

/**
 * If databases have copies, adds a bookmark to every answer to a project: the newest state that the request has seen or
 * written. A caller who sends it back reads from a copy, but never sees an older state: decision 35.
 */
export const addBookmark: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { readsCopies, linkSecrets } = c.get("platform").config;
  if (!readsCopies || !isForProject(c.get("policy"))) return next();
  const ctx = c.get("ctx");
  const states = openStates(ctx.db);
  let isElsewhere = false;
  const of: Context["workflowShards"]["of"] = (address) => {
    isElsewhere = true;
    return ctx.workflowShards.of(address);
  };
  c.set("states", states);
  c.set("ctx", { ...ctx, db: states.db, workflowShards: { of } });
  await next();
  // A Durable Object, or an earlier request with the same key, may have written what the answer shows. The states that
  // this request has seen are then too old.
  const isNews = c.error instanceof KeyReused || (isElsewhere && c.req.method !== "GET");
  const at = isNews ? await readNewest(ctx, states) : states.newest();
  if (at !== null) c.header(bookmarkHeader, await sealBookmark(linkSecrets, { shard: ctx.project.shard, at }));
};

/**
 * Reads the newest bookmark. Returns null when the database does not answer, because no bookmark is better than an old
 * one.
 */
async function readNewest(ctx: Context, states: States): Promise<string | null> {
  try {
    await states.ask();
    return states.newest();
  } catch (error) {
    ctx.log("warn", "An answer has no bookmark", { reason: String(error) });
    return null;
  }
}

/** Reads from a copy if the caller and the route allow it. Without a bookmark, everything is read from the primary. */
export const followBookmark: MiddlewareHandler<AppEnv> = async (c, next) => {
  const states = c.get("states");
  const given = c.req.header(bookmarkHeader);
  if (states === undefined || given === undefined) return next();
  const start = given === any ? anyCopy : await startOf(c, given);
  if (start !== null && c.get("policy").readsCopies) states.readFrom(start);
  return next();
};

/**
 * Returns the bookmark from which to read. Null when the bookmark belongs to a database that does not contain the
 * project's rows, or no longer contains them.
 */
async function startOf(c: HonoContext<AppEnv>, given: string): Promise<string | null> {
  const bookmark = await openBookmark(c.get("platform").config.linkSecrets, given);
  if (bookmark === null) throw badBookmark();
  return bookmark.shard === c.get("ctx").project.shard ? bookmark.at : null;
}

export function badBookmark(): BadRequest {
  return new BadRequest(`The ${bookmarkHeader} header is not the one of an answer.`, {
    suggestion: "Send the header of your last answer unchanged, or leave it out.",
  });
}
