import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../paths.mjs";

/** Returns what scripts/lib/last-release.mjs must contain once a version is released. */
export async function readNext(version) {
  // These files only import types, so Node runs them unchanged.
  const { gateMigrations } = await import("../../../src/platform/gate-tables.ts");
  const { shardMigrations } = await import("../../../src/engine/workflows/shard/tables.ts");
  const migrations = readdirSync(join(ROOT, "migrations")).filter((name) => name.endsWith(".sql"));
  return [
    `  commit: "v${version}",`,
    `  migration: "${migrations.toSorted().at(-1)}",`,
    `  objectTables: { gate: ${gateMigrations.length}, shard: ${shardMigrations.length} },`,
    "  unused: [],",
  ].join("\n");
}
