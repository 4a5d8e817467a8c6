import { existsSync, statfsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { readWranglerToml } from "../scripts/lib/wrangler-toml.mjs";

const root = fileURLToPath(new URL("..", import.meta.url).href);

// A local database waits for the disk at every commit, and no test needs what it wrote to outlive it. Some containers
// have 64 MB here, which is not enough.
const memory = "/dev/shm";
if (existsSync(memory) && freeBytes(memory) > 2 ** 31) process.env.TMPDIR = memory;

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The files that stand in for parts of packages in the bundle, by a part of their path. */
function asInBundle(part: string) {
  return Object.entries(readWranglerToml().alias)
    .filter(([, path]) => path.includes(part))
    .map(([name, path]) => ({ find: name, replacement: `${root}${path}` }));
}

/** For `test/support/sample.ts`, and for test/house/simulation.test.ts. */
const provide = {
  turn: Number(process.env.PETREL_TEST_TURN || 0),
  seedMinutes: process.env.PETREL_SEED_MINUTES || "0.5",
  isDeep: Boolean(process.env.PETREL_TEST_DEEP),
};

export default defineConfig(async () => ({
  root,
  test: {
    // Two cores do two files at a time: each file waits for a queue or a browser now and then.
    maxWorkers: 2,
    // What the Worker logs is shown for a test that fails.
    silent: "passed-only" as const,
    projects: [
      // Rules: pure, in Node, in milliseconds.
      {
        root,
        test: {
          name: "core",
          provide,
          isolate: false,
          // Some of test/house run whole commands.
          testTimeout: 20_000,
          include: [
            "test/core/**/*.test.ts",
            "test/cli/**/*.test.ts",
            "test/house/{bundle,floors,databases,deliverability,deploy*,doctor,english,install,lock,lockfile,migrations,move-command,release,schema,simulation,slow-files,tenant-check,upgrades}.test.ts",
          ],
        },
      },
      // Lists with a made-up member. Each file has modules of its own, because it replaces one of them.
      { root, test: { name: "lists", include: ["test/house/lists/*.test.ts"] } },
      // The Worker in real workerd, with real D1, queues, objects and R2.
      {
        root,
        resolve: { alias: asInBundle("/webauthn") },
        plugins: [
          cloudflareTest({
            wrangler: { configPath: `${root}wrangler.toml` },
            miniflare: {
              // The default installation has one database, and what works on two works on one.
              d1Databases: ["DB_01"],
              bindings: {
                // Not what a developer's .dev.vars says.
                ...readWranglerToml().vars,
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
                ADMIN_TOKEN: "test-operator-token-of-at-least-32-characters",
                LINK_SECRETS: "test-secret-that-signs-links-of-32-characters",
                WEBHOOK_SECRETS: "test-secret-that-seals-webhooks-of-32-characters",
                ENVIRONMENT: "development",
                OUTBOX_HOSTS: "petrel.example",
                PETREL_TEST_SWAP: process.env.PETREL_TEST_SWAP || "0",
                PETREL_MODEL_SEEDS: process.env.PETREL_MODEL_SEEDS || "3",
                PETREL_MODEL_FIRST: process.env.PETREL_MODEL_FIRST || "1",
              },
            },
          }),
        ],
        test: {
          name: "worker",
          provide,
          // To load the Worker takes longer than most files: they share it, and each begins with storage of its own.
          isolate: false,
          include: ["test/api/**/*.test.ts", "test/flows/**/*.test.ts", "test/house/routes.test.ts"],
          setupFiles: ["test/support/setup.ts"],
          testTimeout: 20_000,
        },
      },
      // The product as a user has it: started by its own script, seen through HTTP and a browser.
      {
        root,
        test: {
          name: "product",
          provide,
          isolate: false,
          include: ["test/product/**/*.test.ts"],
          globalSetup: "test/product/start.ts",
          // A browser on two busy cores misses a moment now and then. The report names each test that needed two tries.
          retry: process.env.CI === "true" ? 1 : 0,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}));
