/** The states of a stored job. The last two are final. */
export const jobStatuses = ["queued", "processing", "completed", "failed"] as const;
