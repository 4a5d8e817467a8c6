import { lazily } from "./core/lazily";

/**
 * The front doors. Each is loaded by its first call, so a starting Worker does not load code that it does not need yet.
 */
export const queueDoor = lazily(() => import("./queue"));
export const cronDoor = lazily(() => import("./cron"));
export const receivedMailDoor = lazily(() => import("./received-mail"));
