import type { Campaign } from "petrel-client";
import { useSentence } from "../../parts/conditions/use-sentence";

/** The condition that a campaign's audience is given by, as a sentence. */
export function Conditions({ of }: { of: NonNullable<Campaign["audienceCondition"]> }) {
  const { ofCondition } = useSentence();
  return <bdi className="block text-quiet">{ofCondition(of)}</bdi>;
}
