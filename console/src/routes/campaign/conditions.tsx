import type { Campaign } from "petrel-client";
import { useSentence } from "../../parts/conditions/use-sentence";

/** Describes the condition of a campaign's audience in a sentence. */
export function Conditions({ of }: { of: NonNullable<Campaign["audienceCondition"]> }) {
  const { ofCondition } = useSentence();
  return <bdi className="block text-quiet">{ofCondition(of)}</bdi>;
}
