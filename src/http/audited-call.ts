import type { Context as HonoContext } from "hono";
import type { Actor, AuditedCall } from "../core/audit/call";
import { shownName } from "../core/people/visitor";
import type { AppEnv } from "./router";

/** The maximum length of an IPv6 address as text. */
const maxIpLength = 45;

/** Returns the part of an audit entry that is about the call: its operation, its caller, and where it came from. */
export function auditedCall(c: HonoContext<AppEnv>, operation: string): AuditedCall {
  const ip = c.req.header("CF-Connecting-IP")?.slice(0, maxIpLength) ?? null;
  return { action: operation, actor: actorOf(c), ip, requestId: c.get("requestId") };
}

/** Returns who makes the call. A key without a name is shown by its prefix, which is not secret. */
function actorOf(c: HonoContext<AppEnv>): Actor {
  const visitor = c.get("visitor");
  if (visitor) return { kind: "person", id: visitor.person.id, name: shownName(visitor.person) };
  const key = c.get("key");
  if (key) return { kind: "key", id: key.id, name: key.name ?? key.prefix };
  return { kind: "operator", id: null, name: null };
}
