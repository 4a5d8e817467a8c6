import type { Campaign, CampaignStats, ContentPreview } from "petrel-client";
import { useWords } from "../../words/words";
import type { ClickMark } from "./click-styles";
import { percentOf } from "./percent";
import { useLinks } from "./use-links";

/** Returns the mark of each link in the mail: how many people clicked it, and their share of the recipients. */
export function useClickMarks(
  campaign: Pick<Campaign, "id" | "status">,
  stats: Pick<CampaignStats, "sentCount"> | undefined,
  preview: ContentPreview | undefined,
): ClickMark[] {
  const { number, locale } = useWords();
  const { data } = useLinks(campaign, stats !== undefined);
  if (data === undefined || stats === undefined || preview === undefined) return [];
  const clicks = new Map(data.data.map(({ url, uniqueClicks }) => [url, uniqueClicks]));
  const most = Math.max(1, ...clicks.values());
  return preview.links.flatMap(({ href, url }) => {
    const people = clicks.get(url);
    if (people === undefined) return [];
    const text = `${number(people)} · ${percentOf(people, stats.sentCount, locale)}`;
    return [{ href, text, heat: people / most }];
  });
}
