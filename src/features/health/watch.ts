import { sql } from "drizzle-orm";
import type { TurnedCheck } from "../../core/operating/alert";
import { openBatch } from "../../db/batch";
import { controlShard } from "../../db/client";
import { asText, columns } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { examineAll, type HealthReport } from "./examine";
import { beat, reachesAnyone, tell } from "./tell";

/**
 * Runs the checks as a sweep. Tells people when a check begins to fail or recovers, and calls the heartbeat URL while
 * no check fails. A failure is reported once two runs, five minutes apart, have seen it. If the process crashes right
 * after an alert, the alert is sent again. If there is nobody to tell, no check runs.
 */
export async function watchHealth(platform: Platform): Promise<void> {
  if (!platform.shards.includes(controlShard) || !reachesAnyone(platform)) return;
  const report = await examineAll(platform);
  await noteStates(platform, report);
  const turned = await findTurned(platform, report);
  if (turned.length > 0 && (await tell(platform, turned))) await noteAlerted(platform, turned);
  if (report.status !== "fail") await beat(platform);
}

async function noteStates(platform: Platform, { checks }: HealthReport): Promise<void> {
  const found = JSON.stringify(checks.map(({ name, status }) => ({ name, status })));
  const now = platform.now.getTime();
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`INSERT INTO health_states (name, status, since)
        SELECT value->>'name', value->>'status', ${now} FROM json_each(${found}) WHERE true
        ON CONFLICT (name) DO UPDATE SET since = ${now}, status = excluded.status WHERE status <> excluded.status`,
    ),
  );
  await batch.commit();
}

/** Returns the checks whose state differs from the one that people were last informed about. */
async function findTurned(platform: Platform, { checks }: HealthReport): Promise<TurnedCheck[]> {
  const rows = await select(
    platform.control,
    sql`SELECT name FROM health_states
      WHERE (status = 'fail') <> (alerted = 'fail') AND since < ${platform.now.getTime()} LIMIT ${checks.length}`,
    columns({ name: asText }),
  );
  const names = new Set(rows.map(({ name }) => name));
  return checks.filter(({ name }) => names.has(name));
}

async function noteAlerted(platform: Platform, turned: readonly TurnedCheck[]): Promise<void> {
  const alerted = JSON.stringify(turned.map(({ name, status }) => ({ name, status })));
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(
      sql`UPDATE health_states SET alerted = t.value->>'status' FROM json_each(${alerted}) t WHERE name = t.value->>'name'`,
    ),
  );
  await batch.commit();
}
