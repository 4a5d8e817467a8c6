import { lazily } from "./core/lazily";

/** Front doors that are loaded with their first call, so that no start pays for code that it does not need. */
export const queueDoor = lazily(() => import("./queue"));
export const cronDoor = lazily(() => import("./cron"));
