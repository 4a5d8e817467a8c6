import { lazily } from "./core/lazily";

/**
 * Front doors that are loaded with their first call, so that starting is not slowed down by code that is not needed
 * yet.
 */
export const queueDoor = lazily(() => import("./queue"));
export const cronDoor = lazily(() => import("./cron"));
export const receivedMailDoor = lazily(() => import("./received-mail"));
