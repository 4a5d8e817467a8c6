import { type FilterCondition, type Petrel, ValidationError } from "petrel-client";
import { conditionOf } from "../../parts/conditions/condition";
import type { Draft } from "./draft";

export type Audience = Pick<Draft, "audienceType" | "segmentId" | "audienceCondition">;

interface AudienceSize {
  /** Null when the service could not count. */
  count: number | null;
  /** How many of them are subscribed; null when unknown. */
  subscribed: number | null;
  isApproximate: boolean;
}

const isSubscribed = { field: "subscribed", operator: "equals", value: true } as const;

/** Counts the people of an audience, and then those who are subscribed. Both counts read many people. */
export async function countAudience(petrel: Petrel, audience: Audience, signal: AbortSignal): Promise<AudienceSize> {
  const condition = conditionOfAudience(audience);
  const { count, approximate } = await countAll(petrel, condition, signal);
  if (count === null) return { count, subscribed: null, isApproximate: true };
  const subscribed = await countSubscribed(petrel, condition, signal);
  return {
    count,
    subscribed: subscribed.count === null ? null : Math.min(count, subscribed.count),
    isApproximate: approximate === true || subscribed.approximate === true,
  };
}

interface Counted {
  count: number | null;
  approximate?: boolean | undefined;
}

async function countAll(petrel: Petrel, condition: FilterCondition, signal: AbortSignal): Promise<Counted> {
  if (condition !== null) return petrel.segments.preview({ condition }, { signal });
  const { total, approximate } = await petrel.contacts.query({ limit: 1 }, { signal });
  return { count: total ?? null, approximate };
}

/** A condition of the maximum size cannot have one more filter, so the number of subscribed people is then unknown. */
async function countSubscribed(petrel: Petrel, conditions: FilterCondition, signal: AbortSignal): Promise<Counted> {
  const condition = { logic: "AND" as const, groups: [{ filters: [isSubscribed], conditions }] };
  try {
    return await petrel.segments.preview({ condition }, { signal });
  } catch (error) {
    if (error instanceof ValidationError) return { count: null };
    throw error;
  }
}

function conditionOfAudience({ audienceType, segmentId, audienceCondition }: Audience): FilterCondition {
  if (audienceType === "FILTERED") return audienceCondition;
  return segmentId === null ? null : conditionOf([{ field: `segment.${segmentId}`, operator: "memberOfSegment" }]);
}
