import { sql } from "drizzle-orm";
import type { Platform } from "../../platform/context";
import { deleteMessages } from "./delete-messages";

/** Deletes all stored mail. */
export async function emptyOutbox(platform: Platform): Promise<void> {
  while ((await deleteMessages(platform, sql`true`)) > 0);
}
