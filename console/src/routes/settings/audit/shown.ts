import type { AuditEntry } from "petrel-client";

/** The name of a person or a key at the time. The operator has none. */
export function shownActor({ actor }: AuditEntry, operator: string): string {
  return actor.kind === "operator" ? operator : (actor.name ?? actor.id ?? actor.kind);
}

/** A value as it is in the log: a text as it is, and anything else as JSON. */
export function shownValue(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "–" : JSON.stringify(value);
}
