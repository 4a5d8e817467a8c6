import type { Campaign, CampaignWatch } from "petrel-client";
import { lengthOf } from "../../parts/time";
import { useWords } from "../../words/words";
import { usePace } from "./pace";
import { Parts } from "./parts";
import { percent } from "./percent";

interface StandingProps {
  campaign: Campaign;
  watch: CampaignWatch | undefined;
  /** When the data was read. */
  at: number;
}

/** Describes the state of the campaign in a sentence, with what it waits for. */
export function Standing({ campaign, watch, at }: StandingProps) {
  const { words, number, locale } = useWords();
  const done = watch ? watch.stats.totalRecipients - watch.stats.queuedCount : 0;
  const pace = usePace(done, at, watch?.progress?.stage === "SENDING" || watch?.progress?.stage === "CANARY");
  const sentence = useSentence(campaign, watch);
  const waits = watch?.progress?.waitingFor;
  const held =
    campaign.heldReason === null ? null : (words.campaigns.heldBy[campaign.heldReason] ?? campaign.heldReason);
  const left = pace && watch?.progress?.remaining ? watch.progress.remaining / pace : null;
  return (
    <section aria-label={words.campaigns.state} className="sheet p-4">
      <p className="text-large text-pretty" role="status">
        {sentence}
      </p>
      {pace !== null && pace > 0 && (
        <p className="text-quiet">
          {words.campaigns.standing.pace(number(Math.round(pace * 60)))}
          {left !== null && ` · ${words.campaigns.standing.left(lengthOf(left * 1000, locale))}`}
        </p>
      )}
      {held !== null && <p className="mt-2 rounded-part bg-alarm-tint p-3 text-alarm">{held}</p>}
      {held === null && waits && watch.progress?.stage !== "CANARY_HOLD" && (
        <p className="mt-2 text-quiet">
          <bdi>{waits}</bdi>
        </p>
      )}
      {watch && campaign.sentAt !== null && <Parts stats={watch.stats} />}
    </section>
  );
}

function useSentence(campaign: Campaign, watch: CampaignWatch | undefined): string {
  const { words, number, count, locale } = useWords();
  const { standing } = words.campaigns;
  const timeOf = (iso: string | null | undefined) =>
    iso ? new Date(iso).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" }) : "…";
  const { status, scheduledFor, canary } = campaign;
  if (status === "DRAFT") return standing.DRAFT;
  if (status === "SCHEDULED") return standing.SCHEDULED(timeOf(scheduledFor));
  if (watch === undefined) return words.states.loading;
  const { stats, progress } = watch;
  const done = stats.totalRecipients - stats.queuedCount;
  if (status === "CANCELLED") return standing.CANCELLED(count(stats.sentCount));
  if (status === "SENT") {
    const unknown = stats.unknownCount === 0 ? "" : ` ${standing.unknown(count(stats.unknownCount))}`;
    return stats.totalRecipients === 0 ? standing.sentToNobody : standing.SENT(count(stats.sentCount)) + unknown;
  }
  switch (progress?.stage) {
    case "CANARY":
      return standing.CANARY(percent((canary?.percent ?? 0) / 100, locale));
    case "CANARY_HOLD":
      return standing.CANARY_HOLD(timeOf(progress.continuesAt));
    case "HELD":
      return progress.remaining === null ? standing.heldBefore : standing.HELD(count(progress.remaining));
    case "SENDING":
      return standing.SENDING(count(done), number(stats.totalRecipients));
    default:
      return standing.PREPARING;
  }
}
