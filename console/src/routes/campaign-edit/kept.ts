import type { Campaign } from "petrel-client";
import type { Draft, Field } from "./draft";

/** The person or key that was faster, as far as the service says it. */
export interface Faster {
  name: string | null;
  at: string | null;
}

export type SaveState =
  | { is: "saved" }
  /** Typed, and saved when the typing rests. */
  | { is: "typed" }
  | { is: "saving" }
  /** The service does not answer. It is tried again. */
  | { is: "offline" }
  | { is: "refused"; error: unknown }
  /** The campaign is scheduled. Only the checked version may go out, so nothing is saved until it is a draft again. */
  | { is: "held" }
  /** Another person changed the same fields. Nothing is saved until the writer has chosen. */
  | { is: "conflict"; both: Field[]; theirs: Campaign; faster: Faster };

export interface Kept {
  /** The draft as the page shows it. */
  draft: Draft;
  /** The campaign as the service last showed it. */
  campaign: Campaign;
  state: SaveState;
  /** Whether the browser has what the service does not have yet. */
  isCopied: boolean;
  /** It was found in the browser, from before. */
  isRestored: boolean;
  /** The changes of another person, which are in the draft now. */
  merged: { fields: Field[]; faster: Faster } | null;
  /** The fields that were given up in a conflict, to be brought back. */
  aside: Partial<Draft> | null;
}
