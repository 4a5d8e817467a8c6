import { changedFields, type Draft, type Field, isSame, pick, withWholeAudience } from "./draft";

/** A draft that combines the changes of two people. */
export interface Merged {
  /** The other person's draft with the writer's changes. */
  draft: Draft;
  /** Fields that both people changed to different values. */
  both: Field[];
  /** Fields that only the other person changed. */
  theirs: Field[];
}

/**
 * Merges the writer's changes into the other person's draft, field by field. `before` is the common version; null when
 * unknown.
 */
export function merge(before: Draft | null, mine: Partial<Draft>, theirs: Draft): Merged {
  // The keys of a partial draft are field names.
  const changed = Object.keys(mine) as Field[];
  const draft: Draft = { ...theirs, ...mine };
  const differing = changed.filter((field) => !isSame(draft[field], theirs[field]));
  if (before === null) return { draft, both: differing, theirs: [] };
  const byThem = changedFields(before, theirs);
  return {
    draft,
    both: differing.filter((field) => byThem.includes(field)),
    theirs: byThem.filter((field) => !changed.includes(field)),
  };
}

/** Returns the writer's draft with some fields of the other person's. */
export function taking(draft: Draft, theirs: Draft, fields: Field[]): Draft {
  return { ...draft, ...pick(theirs, withWholeAudience(fields)) };
}
