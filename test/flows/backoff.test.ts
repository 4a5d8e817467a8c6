import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { backoffMs } from "../../src/core/backoff";
import { hourMs, minuteMs } from "../../src/core/time";
import { backoffInSql, type Doubling } from "../../src/db/backoff";
import { controlDatabase } from "../../src/db/client";
import { asNumber, columns } from "../../src/db/rows";
import { select } from "../../src/db/statement";

it.each([hourMs, 6 * hourMs, 8 * minuteMs, minuteMs])("waits in SQL as it does in code, up to %i ms", async (maxMs) => {
  const doubling: Doubling = { firstMs: minuteMs, growth: 2, maxMs };
  const waits = [0, 1, 2, 3, 5, 6, 8, 9, 10, 63, 64, 1_000_000];
  const rows = await select(
    controlDatabase(env),
    sql`SELECT ${backoffInSql(doubling, sql`r.value`)} AS wait_ms FROM json_each(${JSON.stringify(waits)}) r ORDER BY r.key`,
    columns({ waitMs: asNumber }),
  );
  expect(rows.map(({ waitMs }) => waitMs)).toEqual(waits.map((count) => backoffMs(doubling, count)));
});
