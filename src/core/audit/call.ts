import type { Id } from "../ids";

export const actorKinds = ["person", "key", "operator"] as const;

/** The caller that made a change. `name` is the caller's name at the time of the change. */
export interface Actor {
  kind: (typeof actorKinds)[number];
  /** The id of the person or of the key. Null for the operator's token. */
  id: Id | null;
  name: string | null;
}

/** The part of an audit entry that describes the call and not its changes. */
export interface AuditedCall {
  /** The id of the operation. */
  action: string;
  actor: Actor;
  ip: string | null;
  requestId: string;
}

/** The project number under which changes of the installation itself are stored. No project has this number. */
export const installation = 0;
