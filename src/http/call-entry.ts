import { sql } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { installation } from "../core/audit/call";
import { isUuid, newIdAt, readId } from "../core/ids";
import { type CallEntry, insertAuditEntry } from "../db/audit-entry";
import { openBatch } from "../db/batch";
import { DatabaseAway, isTrouble } from "../db/trouble";
import type { Context, Platform } from "../platform/context";
import { auditedCall } from "./audited-call";
import type { AppEnv } from "./router";

/**
 * The path parameters whose value becomes the name in an entry. No others do, because they are ids or might be
 * somebody's address.
 */
const namingParameters = ["eventName", "field"];

/**
 * Returns the audit entry of a whole call, for an operation that does not record its changes one by one. The entry
 * names the resource of the path: the type and, where the path has one, the id.
 */
export function callEntryOf(
  c: HonoContext<AppEnv>,
  { id, path }: { id: string; path: string },
  world: Platform | Context,
): CallEntry {
  const [resource = ""] = path.replace(/^\/(admin\/)?/, "").split("/");
  const target = c.req.param("id");
  const name = namingParameters.map((parameter) => c.req.param(parameter)).find((value) => value !== undefined);
  const insert = insertAuditEntry(auditedCall(c, id), {
    project: "project" in world ? world.project.number : installation,
    id: newIdAt(world.realClock().getTime()),
    // `/v1/send` sends emails.
    type: resource === "v1" ? "email" : resource.replace(/s$/, ""),
    target: target !== undefined && isUuid(target) ? readId(target) : null,
    name: sql`${name ?? null}`,
    changes: sql`'[]'`,
  });
  return { insert, isWritten: false };
}

/**
 * Writes the entry of a successful call that had no batch to write it, because the call only changed an object. If the
 * entry cannot be written, the error says that the call has had its effect.
 */
export async function writeCallEntry(world: Platform | Context): Promise<void> {
  const { callEntry } = world;
  if (callEntry === null || callEntry.isWritten) return;
  const batch = openBatch(world, "db" in world ? world.db : world.control);
  batch.mayRepeat();
  batch.add(callEntry.insert);
  try {
    await batch.commit();
  } catch (error) {
    throw isTrouble(error) ? new DatabaseAway("done", error) : error;
  }
}
