import type { Db } from "../../db/client";

/** Returns the size of a database in bytes. D1 reports it with each result. */
export async function databaseSize(db: Db): Promise<number> {
  db.spent?.spend(1);
  const { meta } = await db.$client.prepare("SELECT 1").all();
  return meta.size_after;
}
