import { Canary, Variant } from "./schema";

/** What the parts of a campaign have, so that a limit of a canary with another name, say, is not dropped without a word. */
export const partNamesOfCampaign = {
  variants: Object.keys(Variant.shape),
  canary: Object.keys(Canary.shape),
};
