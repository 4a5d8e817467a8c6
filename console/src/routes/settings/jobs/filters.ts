const statuses = ["queued", "processing", "completed", "failed"] as const;

/** The filter of the jobs, as the address contains it. */
export interface JobFilters {
  status?: (typeof statuses)[number];
}

export function readJobFilters({ status }: Record<string, unknown>): JobFilters {
  const found = statuses.find((one) => one === status);
  return found === undefined ? {} : { status: found };
}
