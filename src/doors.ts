import { lazily } from "./core/lazily";

/**
 * The front doors that are loaded only by their first call, so that a starting Worker does not load code that it does
 * not need yet.
 */
export const queueDoor = lazily(() => import("./queue"));
export const cronDoor = lazily(() => import("./cron"));
export const receivedMailDoor = lazily(() => import("./received-mail"));
