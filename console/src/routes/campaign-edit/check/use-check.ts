import { useMutation, useQuery } from "@tanstack/react-query";
import type { Job, PreflightResult } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../../api/project";
import type { Keeper } from "../keeper";
import type { Kept } from "../kept";

/** The findings of a check, which has no token while it is under way. */
export type PreflightFindings = Omit<PreflightResult, "preflightToken">;

export interface Checked {
  /** The latest findings, of a running or a finished check. */
  findings: PreflightFindings | null;
  /** The finished check of exactly the version on the page. Without it, nothing is sent. */
  sound: PreflightResult | null;
  /** In percent; null while no check is under way. */
  progress: number | null;
  /** Whether there was a check, of another version. */
  isStale: boolean;
  isUnsaved: boolean;
  error: Error | null;
  start(): void;
  /** Discards the check, and shows why the service no longer accepts it. */
  drop(reason: Error): void;
}

const lookMs = 700;

/** Has the service compose every person's mail, without sending any. */
export function useCheck({ campaign, state }: Kept, keeper: Keeper): Checked {
  const { id: project, petrel } = useProject();
  const [dropped, setDropped] = useState<Error | null>(null);
  const start = useMutation({
    async mutationFn() {
      setDropped(null);
      if (!(await keeper.flush())) return null;
      return petrel.campaigns.preflight(keeper.snapshot().campaign.id);
    },
  });
  const jobId = start.data?.jobId ?? "";
  const { data: job, error } = useQuery({
    queryKey: [project, "job", jobId],
    enabled: jobId !== "",
    queryFn: ({ signal }) => petrel.jobs.get(jobId, { signal }),
    refetchInterval: (query) => isOpen(query.state.data) && lookMs,
  });
  const findings = resultOf(job);
  // The service checks its newest version, which another person may just have saved.
  const isOfThis = state.is === "saved" && findings?.version === campaign.version;
  const isUnderWay = start.isPending || (jobId !== "" && isOpen(job));
  return {
    findings,
    sound: isOfThis && job?.status === "completed" ? findings : null,
    progress: isUnderWay ? (job?.progress ?? 0) : null,
    isStale: findings !== null && !isUnderWay && !isOfThis,
    isUnsaved: start.data === null,
    error: start.error ?? error ?? failureOf(job) ?? dropped,
    start: () => start.mutate(),
    drop(reason) {
      start.reset();
      setDropped(reason);
    },
  };
}

function isOpen(job: Job | undefined): boolean {
  return job === undefined || job.status === "queued" || job.status === "processing";
}

function resultOf(job: Job | undefined): PreflightResult | null {
  // The call that started the pre-flight defines its result.
  return (job?.result ?? null) as PreflightResult | null;
}

function failureOf(job: Job | undefined): Error | null {
  if (job?.status !== "failed") return null;
  const reason = job.errors.map((error) => error.reason).find((one) => typeof one === "string");
  return new Error(`${reason ?? job.status}`);
}
