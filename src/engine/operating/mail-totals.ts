import { sql } from "drizzle-orm";
import { monthOf } from "../../core/time";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import { hopProjects } from "../../db/hop-projects";
import { asNumber, asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

/** The outcomes of mail that are added up, by the names of their events. */
const outcomes = ["sent", "delivered", "opened", "clicked", "bounced", "complained"].map((name) => `email.${name}`);

const mostBusy = 20;
/**
 * The maximum number of projects of a database whose mail is added up. Up to six event names are read for each, and one
 * statement must stay within its row limit.
 */
const mostProjects = 4_000;

export interface MailTotals {
  /** The number of events since the installation began, by name. Deleted projects are left out. */
  events: { name: string; count: number }[];
  /** The emails that were accepted in the current month (UTC). */
  month: { emails: number; busiest: { project: number; emails: number }[] };
}

/** Adds up the mail of all projects of one database in one round trip. */
export async function mailTotals(platform: Platform, shard: string): Promise<MailTotals> {
  const batch = openBatch(platform, platform.databaseOf(shard));
  const events = batch.add(
    statement(
      sql`${hopProjects(sql`FROM event_names WHERE true`, { limit: mostProjects })}
        SELECT e.name, sum(e.count) AS count FROM hop
        CROSS JOIN event_names e ON e.project_id = project AND ${isAtHome(sql`project`)}
          AND e.name IN (SELECT value FROM json_each(${JSON.stringify(outcomes)}))
        GROUP BY e.name`,
      columns({ name: asText, count: asNumber }),
    ),
  );
  const month = monthOf(platform.realClock());
  const busiest = batch.add(
    statement(
      sql`${hopProjects(sql`FROM monthly_usage WHERE true`, { limit: mostProjects })}
        SELECT project, emails, sum(emails) OVER () AS total FROM (
          SELECT project, (SELECT coalesce(sum(emails), 0) FROM monthly_usage
            WHERE project_id = project AND month = ${month}) AS emails
          FROM hop WHERE project IS NOT NULL AND ${isAtHome(sql`project`)})
        ORDER BY emails DESC LIMIT ${mostBusy}`,
      columns({ project: asNumber, emails: asNumber, total: asNumber }),
    ),
  );
  await batch.commit();
  const [first] = busiest.all;
  const used = busiest.all.filter(({ emails }) => emails > 0);
  return { events: events.all, month: { emails: first?.total ?? 0, busiest: used } };
}
