import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BulkRequest } from "petrel-client";
import { useEffect } from "react";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { conditionOf } from "../../parts/conditions/condition";
import { Confirm } from "../../parts/confirm";
import { Refused } from "../../parts/states";
import type { Count } from "../../words/counting";
import { useWords } from "../../words/words";
import type { PeopleFilters } from "./filters";
import type { Selection } from "./selection";

type Operation = "subscribe" | "unsubscribe" | "delete";

interface BulkBarProps {
  filters: PeopleFilters;
  selection: Selection;
  /** How many people the list finds, in the form that is shown. */
  total: Count;
  /** Counts the people again. */
  recount(): void;
}

/** Changes all selected people in the background, and shows the progress. */
export function BulkBar({ filters, selection, total, recount }: BulkBarProps) {
  const { words, count } = useWords();
  const { petrel } = useProject();
  const may = useMay();
  const start = useMutation({
    mutationFn(operation: Operation) {
      const body = bodyOf(filters, selection);
      if (operation === "delete") return petrel.contacts.bulkDelete(body);
      return operation === "subscribe" ? petrel.contacts.bulkSubscribe(body) : petrel.contacts.bulkUnsubscribe(body);
    },
    onSuccess: selection.clear,
  });
  const { selected } = selection;
  const who = words.people.count(selected === "all" ? total : count(selected.ids.size));
  const ask = (operation: Operation) => (
    <Confirm
      label={words.people.bulk[operation]}
      title={words.people.bulk.title[operation](who)}
      action={words.people.bulk[operation]}
      run={() => start.mutate(operation)}
      opened={recount}
      isBusy={start.isPending}
    >
      {words.people.bulk.advice[operation]}
    </Confirm>
  );
  return (
    <div className="border-b border-line px-4 py-2 empty:hidden">
      {!selection.isEmpty && (
        <div className="flex flex-wrap items-center gap-2">
          <span role="status" className="me-2 font-medium">
            {words.people.bulk.selected(who)}
          </span>
          {may("contacts.bulkSubscribe") && ask("subscribe")}
          {may("contacts.bulkUnsubscribe") && ask("unsubscribe")}
          {may("contacts.bulkDelete") && ask("delete")}
          <Button kind="quiet" onClick={selection.clear}>
            {words.people.bulk.clear}
          </Button>
        </div>
      )}
      {start.error && <Refused error={start.error} />}
      {start.data && <Progress jobId={start.data.jobId} />}
    </div>
  );
}

function bodyOf({ search, where = [] }: PeopleFilters, { selected }: Selection): BulkRequest {
  if (selected !== "all") return { contactIds: [...selected.ids] };
  return {
    matching: {
      ...(search === undefined ? {} : { search }),
      ...(where.length === 0 ? {} : { condition: conditionOf(where) }),
      ...(search === undefined && where.length === 0 ? { everybody: true as const } : {}),
    },
  };
}

const pollMs = 1_000;

function Progress({ jobId }: { jobId: string }) {
  const { words, number, count } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const { data: job, error } = useQuery({
    queryKey: [project, "bulk", jobId],
    queryFn: ({ signal }) => petrel.contacts.getBulk(jobId, { signal }),
    refetchInterval: ({ state }) => (isOver(state.data?.status) ? false : pollMs),
  });
  const isDone = isOver(job?.status);
  useEffect(() => {
    if (isDone) void queries.invalidateQueries({ queryKey: [project, "people"] });
  }, [isDone, queries, project]);
  if (error) return <Refused error={error} />;
  if (job === undefined) return null;
  if (job.status === "failed") return <p role="alert">{job.reason}</p>;
  return (
    <p role="status" className="flex items-center gap-3 py-1 text-small">
      {isDone ? (
        words.people.bulk.done(
          words.people.bulk.changed(count(job.succeeded)),
          words.people.bulk.unchanged(count(job.unchanged)),
        )
      ) : (
        <>
          <progress max={100} value={job.progress} aria-label={words.people.bulk.running} className="w-40" />
          {words.people.bulk.running} · {number(job.totalRequested)}
        </>
      )}
    </p>
  );
}

function isOver(status: string | undefined): boolean {
  return status === "completed" || status === "failed";
}
