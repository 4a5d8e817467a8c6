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
  /** Somebody scheduled it. What goes out is what was checked, so nothing is saved until it is a draft again. */
  | { is: "held" }
  /** Somebody else changed the same fields. Nothing is saved until it is said which ones count. */
  | { is: "conflict"; both: Field[]; theirs: Campaign; faster: Faster };

export interface Kept {
  /** What is on the page. */
  draft: Draft;
  /** The campaign as the service last showed it. */
  campaign: Campaign;
  state: SaveState;
  /** Whether the browser has what the service does not have yet. */
  isCopied: boolean;
  /** It was found in the browser, from before. */
  isRestored: boolean;
  /** What somebody else changed meanwhile, which is in the draft now. */
  merged: { fields: Field[]; faster: Faster } | null;
  /** What was given up for somebody else's, to be brought back. */
  aside: Partial<Draft> | null;
}
