import { useMutation, useQueryClient } from "@tanstack/react-query";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import type { Campaign } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

const byCanary = new Set(["bounce rate", "complaint rate", "no reports"]);
/** Holds that only end by themselves. */
const byProject = new Set(["reputation", "Project disabled"]);

/** Shows the buttons to pause, resume and cancel, within reach of the thumb on a phone. */
export function Controls({ campaign }: { campaign: Campaign }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const may = useMay();
  const { id, status, heldReason } = campaign;
  // The next figures are requested at once, so that the page shows the state in the service and not what was pressed.
  const onSettled = () => queries.invalidateQueries({ queryKey: [project] });
  const pause = useMutation({ mutationFn: () => petrel.campaigns.pause(id), onSettled });
  const resume = useMutation({ mutationFn: () => petrel.campaigns.resume(id), onSettled });
  const cancel = useMutation({ mutationFn: () => petrel.campaigns.cancel(id), onSettled });
  const unschedule = useMutation({ mutationFn: () => petrel.campaigns.unschedule(id), onSettled });
  if (status !== "SENDING" && status !== "SCHEDULED") return null;
  if (!may("campaigns.pause")) return <p className="text-quiet">{words.campaignEdit.onlyReading}</p>;
  const isHeld = status === "SENDING" && heldReason !== null && !byProject.has(heldReason);
  const error = pause.error ?? resume.error ?? cancel.error ?? unschedule.error;
  const isBusy = pause.isPending || resume.isPending || cancel.isPending || unschedule.isPending;
  return (
    <div
      role="toolbar"
      aria-label={campaign.name}
      className="fixed inset-x-0 bottom-14.25 z-10 border-t border-line bg-sheet p-3 tablet:static tablet:border-0 tablet:bg-transparent tablet:p-0"
    >
      {error && <Refused error={error} />}
      {isHeld && !may("campaigns.resume") && <p className="pb-3 text-quiet">{words.campaignEdit.mayNotSend}</p>}
      <div className="flex flex-wrap gap-3">
        {status === "SENDING" && heldReason === null && (
          <Button
            kind="main"
            className="min-w-40 flex-1 tablet:flex-none"
            isBusy={isBusy}
            onClick={() => pause.mutate()}
          >
            <Pause size={16} aria-hidden />
            {words.campaigns.pause}
          </Button>
        )}
        {isHeld && may("campaigns.resume") && (
          <Button
            kind="main"
            className="min-w-40 flex-1 tablet:flex-none"
            isBusy={isBusy}
            onClick={() => resume.mutate()}
          >
            <Play size={16} aria-hidden />
            {byCanary.has(heldReason) ? words.campaigns.release : words.campaigns.resume}
          </Button>
        )}
        {status === "SCHEDULED" ? (
          <Button isBusy={isBusy} onClick={() => unschedule.mutate()}>
            {words.campaignEdit.unschedule}
          </Button>
        ) : (
          <Confirm
            label={words.campaigns.cancel}
            title={words.campaigns.cancelTitle}
            action={words.campaigns.cancel}
            run={() => cancel.mutate()}
            isBusy={isBusy}
          >
            {words.campaigns.cancelAdvice}
          </Confirm>
        )}
      </div>
    </div>
  );
}
