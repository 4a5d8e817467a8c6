/**
 * What D1 does on the real platform and never locally, with the texts of its documentation
 * (https://developers.cloudflare.com/d1/observability/debug-d1/#error-list). `commits`: the database has done its work
 * before the answer is lost.
 */
export const databaseFaults = {
  "answer lost": { commits: true, message: "D1_ERROR: Network connection lost." },
  "connection lost": { commits: false, message: "D1_ERROR: Network connection lost." },
  "storage reset": { commits: false, message: "D1_ERROR: Internal error in D1 DB storage caused object to be reset." },
  "code updated": { commits: false, message: "D1_ERROR: D1 DB reset because its code was updated." },
  overloaded: { commits: false, message: "D1_ERROR: D1 DB is overloaded. Requests queued for too long." },
} as const;
