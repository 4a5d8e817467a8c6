/** The cache key for how far the service's clock is ahead of the browser's, which may be wrong. */
export const clockKey = (project: string) => [project, "clock"];
