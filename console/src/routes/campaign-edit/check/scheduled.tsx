import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { useEffect, useState } from "react";
import { useProject } from "../../../api/project";
import { useMay } from "../../../api/rights";
import { Button } from "../../../parts/button";
import { Notice } from "../../../parts/notice";
import { Refused } from "../../../parts/states";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { clockKey } from "./clock";

const lookMs = 1_000;
const tickMs = 250;
/** Below this time, the seconds are counted down. */
const soonMs = 60_000;

/** Shows a campaign that waits for its time, with the button that unschedules it. */
export function Scheduled({ campaign }: { campaign: Campaign }) {
  const { words, count } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const may = useMay();
  const { id } = campaign;
  const queryKey = [project, "campaign", id];
  const leftMs = useLeft(campaign);
  const back = useMutation({
    mutationFn: () => petrel.campaigns.unschedule(id),
    onSuccess: (draft) => queries.setQueryData(queryKey, draft),
    // The campaign may have started, which the page then shows.
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  const isDue = leftMs <= 0;
  useEffect(() => {
    if (!isDue) return;
    const look = () => void queries.invalidateQueries({ queryKey: [project, "campaign", id] });
    const timer = setInterval(look, lookMs);
    return () => clearInterval(timer);
  }, [isDue, queries, project, id]);
  const { scheduledFor, heldReason } = campaign;
  return (
    // The button that sends is far down the page, so this notice is sticky.
    <div className="sticky top-16 z-10 mb-4 grid gap-4">
      <Notice tone="good">
        <p className="min-w-48 flex-1">
          {leftMs > soonMs && scheduledFor !== null ? (
            <>
              {own.scheduledFor} <Time at={scheduledFor} />
            </>
          ) : (
            <span className="tabular-nums">{isDue ? own.starts : own.startsIn(count(Math.ceil(leftMs / 1000)))}</span>
          )}
          {heldReason && (
            <span className="block text-small text-warn">{words.campaigns.heldBy[heldReason] ?? heldReason}</span>
          )}
        </p>
        {may("campaigns.unschedule") && (
          <Button isBusy={back.isPending} onClick={() => back.mutate()}>
            {leftMs > soonMs ? own.unschedule : own.undo}
          </Button>
        )}
      </Notice>
      {back.error && <Refused error={back.error} />}
    </div>
  );
}

/** Returns the time until the campaign starts, by the clock of the service. */
function useLeft({ scheduledFor }: Campaign): number {
  const { id: project } = useProject();
  const ahead = useQueryClient().getQueryData<number>(clockKey(project)) ?? 0;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return Date.parse(scheduledFor ?? "") - now - ahead || 0;
}
