import { rmSync } from "node:fs";
import { join } from "node:path";
import { CLIENT, ROOT } from "../paths.mjs";
import { captureTool } from "../tools.mjs";
import { generate } from "./generate.mjs";

// Builds the package of clients/node, compiles its tests, and checks the types of clients/browser and clients/site. The
// generator needs the Node of the lockfile.

await generate();
// A file whose source is gone would be packed as well.
rmSync(join(CLIENT, "dist"), { recursive: true, force: true });
for (const project of [CLIENT, join(CLIENT, "test"), join(ROOT, "clients", "browser"), join(ROOT, "clients", "site")]) {
  const { code, output } = await captureTool("tsc", ["-p", project]);
  if (code !== 0) {
    console.error(output);
    process.exit(code);
  }
}
