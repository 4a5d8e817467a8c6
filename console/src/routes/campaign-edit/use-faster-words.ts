import { useWords } from "../../words/words";
import type { Faster } from "./kept";

/** Returns a text that names who changed a campaign, and when. */
export function useFasterWords(): (faster: Faster) => string {
  const { words, locale } = useWords();
  const own = words.campaignEdit;
  return ({ name, at }) =>
    own.faster(
      name ?? own.somebody,
      at === null ? "" : new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium" }),
    );
}
