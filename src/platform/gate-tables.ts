import type { TableMigrations } from "./object-tables";

/** The tables of a gate: see object-tables.ts. `npm start` runs this file directly, so it may import only types. */
export const gateMigrations: TableMigrations = [
  [
    `CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, hash TEXT NOT NULL,
      at INTEGER NOT NULL, claimed_at INTEGER NOT NULL, status INTEGER, response TEXT, expires_at INTEGER NOT NULL)`,
    "CREATE INDEX ix_idempotency_keys_expiry ON idempotency_keys (expires_at)",
  ],
];

/** The earliest version whose code can work with these tables: see `readableFrom` in object-tables.ts. */
export const gateReadableFrom = 1;
