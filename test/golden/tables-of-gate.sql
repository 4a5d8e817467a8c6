-- 1
CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, hash TEXT NOT NULL,
      at INTEGER NOT NULL, claimed_at INTEGER NOT NULL, status INTEGER, response TEXT, expires_at INTEGER NOT NULL);
CREATE INDEX ix_idempotency_keys_expiry ON idempotency_keys (expires_at);
