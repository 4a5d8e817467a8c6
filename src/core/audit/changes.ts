import { asId, publicId } from "../ids";
import { iso } from "../time";

/**
 * A field that a call has changed. For a secret or a body, both values are missing: its entry only shows that it
 * changed.
 */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** Marks ids and times in stored changes, which are converted to their public form in answers. */
export const idMark = "$id";
export const timeMark = "$time";

/** Reads the changes of an entry from their stored text. */
export function readChanges(text: string): FieldChange[] {
  // Only our own statements write it: see engine/audit/record-change.ts.
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
