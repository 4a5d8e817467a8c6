/**
 * What the parts of the platform beside D1 do on the real platform and never locally, each with the page that says so.
 * `commits`: the part has done its work before the answer is lost.
 */
export const platformFaults = {
  "isolate dies": { page: "https://developers.cloudflare.com/workers/reference/how-workers-works/#isolates" },
  "object is reset": {
    page: "https://developers.cloudflare.com/durable-objects/best-practices/error-handling/",
  },
  "object is evicted": {
    page: "https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/",
  },
  "alarm is late": { page: "https://developers.cloudflare.com/durable-objects/api/alarms/" },
  "alarm is lost after its retries": { page: "https://developers.cloudflare.com/durable-objects/api/alarms/" },
  "alarm comes twice": { page: "https://developers.cloudflare.com/durable-objects/api/alarms/" },
  "message comes twice": { page: "https://developers.cloudflare.com/queues/reference/delivery-guarantees/" },
  "message is late": { page: "https://developers.cloudflare.com/queues/reference/delivery-guarantees/" },
  "clocks differ": { page: "https://developers.cloudflare.com/workers/runtime-apis/performance/" },
};

/** https://developers.cloudflare.com/r2/api/error-codes/ */
export const fileFaults = {
  "answer lost": { commits: true, message: "Network connection lost." },
  "internal error": { commits: false, message: "put: We encountered an internal error. Please try again. (10001)" },
  "too many requests": {
    commits: false,
    message: "put: Reduce your concurrent request rate for the same object. (10058)",
  },
};
