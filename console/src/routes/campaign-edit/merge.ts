import { changedFields, type Draft, type Field, isSame, pick, withWholeAudience } from "./draft";

/** The same draft after the changes of two people. */
export interface Merged {
  /** Theirs, with my changes in it. */
  draft: Draft;
  /** Fields that both changed, and not to the same. */
  both: Field[];
  /** Fields that only they changed. */
  theirs: Field[];
}

/** Puts my changes into their draft, field by field. `before` is what both began with; null when that is not known. */
export function merge(before: Draft | null, mine: Partial<Draft>, theirs: Draft): Merged {
  // The names of a part of a draft are names of fields.
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

/** My draft with some fields of theirs. */
export function taking(draft: Draft, theirs: Draft, fields: Field[]): Draft {
  return { ...draft, ...pick(theirs, withWholeAudience(fields)) };
}
