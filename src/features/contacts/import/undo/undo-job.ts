import { z } from "zod";
import { type Id, asId as idOf, textOf } from "../../../../core/ids";
import type { JobRow } from "../../../../db/tables";

const StoredId = z.string().transform(idOf);

export const UndoInput = z.object({ importId: StoredId });

const count = z.number().int();

/** The outcomes of the contacts that the import created or changed. */
export const UndoResult = z
  .object({
    removed: count.meta({ description: "The number of contacts that the import had created and that are now erased." }),
    restored: count.meta({
      description: "The number of contacts that have their earlier data and subscription again.",
    }),
    kept: count.meta({
      description: "The number of contacts that have changed since the import, and that stay as they are.",
    }),
  })
  .meta({ id: "UndoResult", example: { removed: 40, restored: 2, kept: 1 } });
export type UndoResult = z.infer<typeof UndoResult>;

/**
 * The state of the job: `after` is the last contact that it has handled. `erasing` has the ids of jobs that may still
 * erase what is left of contacts.
 */
const UndoState = z.object({ after: StoredId, erasing: z.array(StoredId).default([]) });

export function stateOf(row: JobRow): { after: Id; erasing: Id[] } {
  return UndoState.parse(row.state);
}

export function stateAfter(contactId: Id, erasing: Id[] = []): { after: string; erasing: string[] } {
  return { after: textOf(contactId), erasing: erasing.map(textOf) };
}

export function resultOf(row: JobRow): UndoResult {
  return row.result === null ? { removed: 0, restored: 0, kept: 0 } : UndoResult.parse(row.result);
}
