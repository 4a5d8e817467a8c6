/** Under this key is how far the clock of the service is ahead of the browser's, which may be wrong. */
export const clockKey = (project: string) => [project, "clock"];
