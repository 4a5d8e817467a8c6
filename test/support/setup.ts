import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Files share an isolate, which loads the Worker once; each begins with storage of its own.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
