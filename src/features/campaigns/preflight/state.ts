import { z } from "zod";
import type { Tally } from "../../../core/campaigns/tally";
import { asId } from "../../../core/ids";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { Frozen } from "../frozen";

const StoredId = z.string().transform(asId);

/** What a pre-flight is told. */
export const Input = z.object({ campaignId: StoredId, linkBase: z.string().nullable() });
export type Input = z.infer<typeof Input>;

/** Where a pre-flight stands: it begins with nothing. */
export const State = z.object({
  /** The campaign's, when this began: what it says then is what is checked. */
  version: z.number(),
  /** Who would get it then. */
  frozen: Frozen,
  /** How many mails are left of the month, or null without a limit. */
  places: z.number().nullable(),
  /** Contacts up to this one are done: so many rows of the audience's source. */
  after: StoredId,
  passed: z.number(),
  /** Rows of the next window: as many as have some hundred recipients in them. */
  rows: z.number(),
  tally: z.custom<Tally>(isJsonObject),
});
export type State = z.infer<typeof State>;

/** As it is stored: whatever is in it came out of JSON, or goes into it as it is. */
export function stateJson(state: State): JsonObject {
  return state as unknown as JsonObject;
}
