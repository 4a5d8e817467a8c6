import { sql } from "drizzle-orm";
import { endSnoozesOf } from "../contacts/end-snoozes";
import type { Timed } from "./timed";

export const timedSnoozes: Timed = {
  name: "snoozes",
  isDue: ({ project, clock }) => sql`EXISTS (SELECT 1 FROM contacts INDEXED BY ix_contacts_snoozed
    WHERE clock = ${project.number} AND snoozed_until <= ${clock().getTime()} AND project_id = ${project.number})`,
  settle: endSnoozesOf,
  nextAt: ({ project, clock }) => sql`SELECT min(snoozed_until) FROM contacts INDEXED BY ix_contacts_snoozed
    WHERE clock = ${project.number} AND snoozed_until > ${clock().getTime()} AND project_id = ${project.number}`,
};
