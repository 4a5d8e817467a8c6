import { join } from "node:path";
import { CLIENT } from "../paths.mjs";
import { captureTool } from "../tools.mjs";
import { generate } from "./generate.mjs";

// Builds the package of clients/node, and compiles its tests. Runs on the Node of the lockfile, as the generator needs it.

await generate();
for (const project of [CLIENT, join(CLIENT, "test")]) {
  const { code, output } = await captureTool("tsc", ["-p", project]);
  if (code !== 0) {
    console.error(output);
    process.exit(code);
  }
}
