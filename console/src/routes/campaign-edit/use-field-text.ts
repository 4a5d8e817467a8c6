import { useSentence } from "../../parts/conditions/use-sentence";
import { useWords } from "../../words/words";
import type { Draft, Field } from "./draft";
import { useLists } from "./use-lists";

/** Returns a field's value as a text that can be compared. */
export function useFieldText(): (field: Field, draft: Draft) => string {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { segments, topics } = useLists();
  const { ofCondition } = useSentence();
  return (field, draft) => {
    const value = draft[field];
    switch (field) {
      case "audienceType":
        return own.audiences[draft.audienceType];
      case "type":
        return own.types[draft.type];
      case "segmentId":
        return segments.find(({ id }) => id === value)?.name ?? `${value ?? ""}`;
      case "audienceCondition":
        return draft.audienceCondition === null ? "" : ofCondition(draft.audienceCondition);
      case "canary":
        return (["percent", "holdMinutes", "maxBounceRate", "maxComplaintRate"] as const)
          .map((name) => `${own.canary[name]}: ${draft.canary?.[name] ?? "–"}`)
          .join("\n");
      case "topicId":
        return topics.find(({ id }) => id === value)?.name ?? `${value ?? ""}`;
      default:
        return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value, null, 2);
    }
  };
}
