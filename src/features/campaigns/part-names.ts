import { Canary, Variant } from "./schema";

/**
 * The fields of a campaign's parts. An unknown field in a part, such as a misspelled limit of a canary, is reported
 * instead of silently dropped.
 */
export const partNamesOfCampaign = {
  variants: Object.keys(Variant.shape),
  canary: Object.keys(Canary.shape),
};
