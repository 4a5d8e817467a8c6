import type { AuditEntry } from "petrel-client";

/** Returns the name that a person or a key had at the time. The operator has none. */
export function shownActor({ actor }: AuditEntry, operator: string): string {
  return actor.kind === "operator" ? operator : (actor.name ?? actor.id ?? actor.kind);
}

/** Returns a value of the log: a text unchanged, and anything else as JSON. */
export function shownValue(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "–" : JSON.stringify(value);
}
