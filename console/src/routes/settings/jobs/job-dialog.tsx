import type { Job } from "petrel-client";
import { Button } from "../../../parts/button";
import { Dialog } from "../../../parts/dialog";
import { ApiCall } from "../../../parts/states";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { Progress, useJob } from "./progress";

/** Shows the result of a job, and each of its errors. */
export function JobDialog({ job: opened, onClose }: { job: Job; onClose(): void }) {
  const { words, count } = useWords();
  const job = useJob(opened);
  const texts = words.settings.jobs;
  return (
    <Dialog title={job.type} onClose={onClose}>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Progress job={opened} />
        <span className="text-small text-quiet">
          {texts.started} <Time at={job.createdAt} />
        </span>
      </div>
      {job.errors.length > 0 && (
        <>
          <h3 className="mt-4 font-medium text-alarm">{texts.errors(count(job.errors.length))}</h3>
          <ApiCall call={job.errors.map((error) => JSON.stringify(error)).join("\n")} />
        </>
      )}
      {job.result !== null && (
        <>
          <h3 className="mt-4 font-medium">{texts.result}</h3>
          <ApiCall call={JSON.stringify(job.result, null, 2)} />
        </>
      )}
      <p className="mt-4 text-small text-quiet">
        {texts.id} <code className="font-mono">{job.jobId}</code>
      </p>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{words.settings.close}</Button>
      </div>
    </Dialog>
  );
}
