import { z } from "zod";
import { type Id, asId as idOf, textOf } from "../../../../core/ids";
import type { JobRow } from "../../../../db/tables";

const StoredId = z.string().transform(idOf);

export const UndoInput = z.object({ importId: StoredId });

/** The outcomes of the contacts that the import created or changed. */
const UndoResult = z.object({ removed: z.number(), restored: z.number(), kept: z.number() });
export type UndoResult = z.infer<typeof UndoResult>;

/** The last contact that is done. */
const UndoState = z.object({ after: StoredId });

export function stateOf(row: JobRow): { after: Id } {
  return UndoState.parse(row.state);
}

export function stateAfter(contactId: Id): { after: string } {
  return { after: textOf(contactId) };
}

export function resultOf(row: JobRow): UndoResult {
  return row.result === null ? { removed: 0, restored: 0, kept: 0 } : UndoResult.parse(row.result);
}
