import { asId, publicId } from "../ids";
import { iso } from "../time";

/**
 * A field that a call has changed. For a secret or a body, `from` and `to` are left out: the entry only shows that the
 * field changed.
 */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** The keys that mark an id or a time in stored changes, so that answers can show both in their public form. */
export const idMark = "$id";
export const timeMark = "$time";

/** Reads the changes of an entry from their stored text. */
export function readChanges(text: string): FieldChange[] {
  // The cast is safe, because only our own statements write this text: see engine/audit/record-change.ts.
  const stored = JSON.parse(text) as FieldChange[];
  return stored.map((change) =>
    "from" in change
      ? { field: change.field, from: readValue(change.from), to: readValue(change.to) }
      : { field: change.field },
  );
}

function readValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [[mark, marked] = [], ...others] = Object.entries(value);
  if (others.length > 0) return value;
  if (mark === idMark && typeof marked === "string") return publicId(asId(marked));
  if (mark === timeMark && typeof marked === "number") return iso(marked);
  return value;
}
