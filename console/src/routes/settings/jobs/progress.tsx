import { useQuery } from "@tanstack/react-query";
import type { Job } from "petrel-client";
import { useProject } from "../../../api/project";
import { Badge, type Tone } from "../../../parts/badge";
import { useWords } from "../../../words/words";

const lookMs = 2_000;
const tones: Record<Job["status"], Tone> = { queued: "quiet", processing: "warn", completed: "good", failed: "alarm" };

/** Returns the state of a job. An open job is polled until it has ended. */
export function useJob(job: Job): Job {
  const { id: project, petrel } = useProject();
  const isOver = ({ status }: Job) => status === "completed" || status === "failed";
  const { data = job } = useQuery({
    queryKey: [project, "job", job.jobId],
    queryFn: ({ signal }) => petrel.jobs.get(job.jobId, { signal }),
    enabled: !isOver(job),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : lookMs),
  });
  return data;
}

export function Progress({ job }: { job: Job }) {
  const { words, count } = useWords();
  const { status, progress, errors } = useJob(job);
  const texts = words.settings.jobs;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Badge tone={tones[status]}>{texts.statuses[status]}</Badge>
      {errors.length > 0 && <span className="text-small text-alarm">{texts.errors(count(errors.length))}</span>}
      {status === "processing" && (
        <progress aria-label={texts.statuses[status]} max={100} value={progress} className="h-1.5 w-24 accent-main" />
      )}
    </div>
  );
}
