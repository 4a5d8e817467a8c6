import type { TableMigrations } from "./object-tables";

/** The tables of a gate: see object-tables.ts. `npm start` runs this file directly, so it may import only types. */
export const gateMigrations: TableMigrations = [
  [
    `CREATE TABLE IF NOT EXISTS idempotency_keys (key TEXT PRIMARY KEY, owner TEXT NOT NULL,
      request TEXT NOT NULL, at INTEGER NOT NULL, claimed_at INTEGER NOT NULL, status INTEGER, response TEXT,
      expires_at INTEGER NOT NULL)`,
    "CREATE INDEX IF NOT EXISTS ix_idempotency_keys_expiry ON idempotency_keys (expires_at)",
  ],
  ["ALTER TABLE idempotency_keys ADD COLUMN hash TEXT"],
];

/** The first version that was released. See `readableFrom` of object-tables.ts. */
export const gateReadableFrom = 2;
