import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { CLI, CLIENT } from "../paths.mjs";

/** Builds `petrel` into one file with everything that it needs, so that its package has no dependencies. */
export async function bundleCli() {
  const dist = join(CLI, "dist");
  rmSync(dist, { recursive: true, force: true });
  await build({
    entryPoints: { petrel: join(CLI, "src", "main.ts") },
    outdir: dist,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: { "petrel-client": join(CLIENT, "dist", "index.js") },
    // CommonJS packages load Node's own modules by `require`, which an ES module does not have.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
    },
    legalComments: "inline",
    logLevel: "error",
  });
}
