import { rmSync } from "node:fs";
import { join } from "node:path";
import { CLI, CLIENT, ROOT } from "../paths.mjs";
import { captureTool } from "../tools.mjs";
import { bundleCli } from "./bundle-cli.mjs";
import { generate } from "./generate.mjs";

// Builds the packages of clients/node and clients/cli, compiles the tests of the first, and checks the types of
// clients/browser and clients/site. The generator needs the lockfile's Node.

await generate();
// Otherwise a file whose source was deleted would be packed as well.
rmSync(join(CLIENT, "dist"), { recursive: true, force: true });
const rest = ["browser", "site"].map((name) => join(ROOT, "clients", name));
await compile(CLIENT);
// Editors read comments from the declarations. The code is built without comments, which are a fifth of its size.
await compile(CLIENT, ["--removeComments", "--declaration", "false"]);
for (const project of [join(CLIENT, "test"), CLI, ...rest]) await compile(project);
await bundleCli();

async function compile(project, options = []) {
  const { code, output } = await captureTool("tsc", ["-p", project, ...options]);
  if (code === 0) return;
  console.error(output);
  process.exit(code);
}
