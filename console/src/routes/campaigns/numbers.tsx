import type { Campaign } from "petrel-client";
import { useWords } from "../../words/words";
import { percentOf } from "../campaign/percent";
import { useWatch } from "../campaign/watch";
import { isMoving } from "./columns";

/** Shows how many people a campaign has reached, updated while it is sent, and what they did. */
export function Numbers({ campaign }: { campaign: Campaign }) {
  const { words, number, locale } = useWords();
  const { data } = useWatch(campaign, isMoving(campaign));
  const { totalRecipients, sentCount, openedCount, clickedCount } = data?.stats ?? campaign;
  if ((data?.sentAt ?? campaign.sentAt) === null) return <span className="text-quiet">·</span>;
  const isSending = (data ?? campaign).status === "SENDING";
  const share = (count: number) => percentOf(count, sentCount, locale);
  return (
    <>
      <span className="block tabular-nums">
        {isSending ? words.campaigns.of(number(sentCount), number(totalRecipients)) : number(sentCount)}
      </span>
      {isSending ? (
        <progress
          className="bar w-40"
          aria-label={campaign.name}
          value={sentCount}
          max={Math.max(1, totalRecipients)}
        />
      ) : (
        <span className="block truncate text-small text-quiet">
          {words.campaigns.readBy(share(openedCount), share(clickedCount))}
        </span>
      )}
    </>
  );
}
