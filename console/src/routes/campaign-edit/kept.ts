import type { Campaign } from "petrel-client";
import type { Draft, Field } from "./draft";

/** The person or key that saved first, if the service reports it. */
export interface Faster {
  name: string | null;
  at: string | null;
}

export type SaveState =
  | { is: "saved" }
  /** Typed text, which is saved when the typing pauses. */
  | { is: "typed" }
  | { is: "saving" }
  /** The service does not answer. Saving is retried. */
  | { is: "offline" }
  | { is: "refused"; error: unknown }
  /** The campaign is scheduled. Only the checked version may be sent, so nothing is saved until it is a draft again. */
  | { is: "held" }
  /** Another person changed the same fields. Nothing is saved until the writer has chosen. */
  | { is: "conflict"; both: Field[]; theirs: Campaign; faster: Faster };

export interface Kept {
  /** The draft as the page shows it. */
  draft: Draft;
  /** The campaign as the service last returned it. */
  campaign: Campaign;
  state: SaveState;
  /** Whether the browser stores what the service does not have yet. */
  isCopied: boolean;
  /** Whether the draft was restored from an earlier copy in the browser. */
  isRestored: boolean;
  /** Changes of another person that are now part of the draft. */
  merged: { fields: Field[]; faster: Faster } | null;
  /** The fields that were given up in a conflict, so that they can be restored. */
  aside: Partial<Draft> | null;
}
