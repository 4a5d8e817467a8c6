import type { D1Migration } from "cloudflare:test";
import type { Env as WorkerEnv } from "../../src/platform/env";

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      TEST_MIGRATIONS: D1Migration[];
      /** "1" puts each test's projects on the other database. */
      PETREL_TEST_SWAP: string;
      /** How many seeds the model of segments is played with. */
      PETREL_MODEL_SEEDS: string;
      PETREL_MODEL_FIRST: string;
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/index");
    }
  }
}
