import { z } from "zod";
import type { Tally } from "../../../core/campaigns/tally";
import { asId } from "../../../core/ids";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { Frozen } from "../../../engine/recipients/frozen";

const StoredId = z.string().transform(asId);

/** The input of a pre-flight. */
export const PreflightInput = z.object({ campaignId: StoredId, linkBase: z.string().nullable() });
export type PreflightInput = z.infer<typeof PreflightInput>;

/** The state of a pre-flight. A new job has none yet. */
export const PreflightState = z.object({
  /** The campaign's version when the check began, which is the version that is checked. */
  version: z.number(),
  /** The audience when the check began. */
  frozen: Frozen,
  /** How many emails remain of the month's quota; null without a limit. */
  quota: z.number().nullable(),
  /** Contacts up to this id are done. `passed` is how many rows of the audience's source are done. */
  after: StoredId,
  passed: z.number(),
  /** The number of rows in the next window, chosen so that the window has a few hundred recipients. */
  rows: z.number(),
  tally: z.custom<Tally>(isJsonObject),
});
export type PreflightState = z.infer<typeof PreflightState>;

/** Returns the state as JSON. All its values are JSON values, so only its type changes. */
export function stateJson(state: PreflightState): JsonObject {
  return state as unknown as JsonObject;
}
