import type { StoredVariant } from "../../core/campaigns/campaign";
import { Invalid } from "../../core/errors";
import type { CampaignRow } from "../../db/tables";

/**
 * Returns the variant with this name. Without a name, returns the first variant, or null for a campaign without
 * variants. Throws Invalid for an unknown name.
 */
export function namedVariant({ variants }: CampaignRow, name: string | undefined): StoredVariant | null {
  if (name === undefined) return variants?.[0] ?? null;
  const found = variants?.find((variant) => variant.name === name);
  if (found) return found;
  const known = variants
    ? `Its variants are ${variants.map((variant) => variant.name).join(", ")}`
    : "It has no variants";
  throw new Invalid([
    { field: "variant", code: "custom", message: `This campaign has no such variant. ${known}`, received: name },
  ]);
}
