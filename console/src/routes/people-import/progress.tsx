import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ImportJob } from "petrel-client";
import { useEffect } from "react";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Figures } from "./figures";

const pollMs = 1_000;
const shownErrors = 20;

/** Shows an import: its progress, then what it did, with the way to undo it. */
export function Progress({ jobId, restart }: { jobId: string; restart(): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const { data: job, error } = useQuery({
    queryKey: [project, "import", jobId],
    queryFn: ({ signal }) => petrel.contacts.getImport(jobId, { signal }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : pollMs),
  });
  const isDone = isOver(job);
  useEffect(() => {
    if (isDone) void queries.invalidateQueries({ queryKey: [project, "people"] });
  }, [isDone, queries, project]);
  const texts = words.people.import;
  if (job === undefined) return error ? <Refused error={error} /> : <Loading rows={3} />;
  return (
    <>
      {!isDone && (
        <p role="status" className="flex items-center gap-3">
          <progress max={100} value={job.progress} aria-label={texts.importing} className="h-1.5 w-40 accent-main" />
          {texts.importing}
        </p>
      )}
      {job.status === "failed" && (
        <p role="alert" className="text-alarm">
          {job.reason}
        </p>
      )}
      <Figures
        figures={[
          [texts.total, job.totalRows],
          [texts.imported, job.imported],
          [texts.updated, job.updated],
          [texts.skipped, job.skipped],
        ]}
      />
      <Errors errors={job.errors} />
      {error && <Refused error={error} />}
      {isDone && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={restart}>{texts.another}</Button>
          <Undo jobId={jobId} />
        </div>
      )}
    </>
  );
}

function Errors({ errors }: Pick<ImportJob, "errors">) {
  const { words, number } = useWords();
  return (
    <ul className="grid gap-1 text-small empty:hidden">
      {errors.slice(0, shownErrors).map(({ row, email, reason }) => (
        <li key={row} className="break-all">
          {words.people.import.row} {number(row)}: <bdi>{email}</bdi>{" "}
          <code className="font-mono text-quiet">{reason}</code>
        </li>
      ))}
    </ul>
  );
}

function Undo({ jobId }: { jobId: string }) {
  const { words } = useWords();
  const { petrel } = useProject();
  const may = useMay();
  const undo = useMutation({ mutationFn: async () => petrel.contacts.undoImport(jobId) });
  const texts = words.people.import;
  if (!may("contacts.undoImport")) return null;
  if (undo.data) return <p role="status">{texts.undone}</p>;
  return (
    <>
      <Button kind="alarm" isBusy={undo.isPending} onClick={() => undo.mutate()}>
        {texts.undo}
      </Button>
      {undo.error && <Refused error={undo.error} />}
    </>
  );
}

function isOver(job: Pick<ImportJob, "status"> | undefined): boolean {
  return job?.status === "completed" || job?.status === "failed";
}
