import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Failure } from "./failure.mjs";
import { ROOT } from "./paths.mjs";
import { captureTool } from "./tools.mjs";

/**
 * Builds the Worker of a checkout into a folder, as a deploy does. `inputs` has the number of bytes that each file
 * takes up in the bundle, by its path.
 */
export async function buildBundle(folder, { root = ROOT, isMinified = true } = {}) {
  const metafile = join(folder, "meta.json");
  const args = ["deploy", "--dry-run", "--outdir", folder, "--metafile", metafile, `--minify=${isMinified}`];
  const { code, output } = await captureTool("wrangler", args, { cwd: root });
  if (code !== 0) throw new Failure(`The Worker could not be built:\n\n${output}`);
  const file = join(folder, "index.js");
  const content = readFileSync(file);
  const outputs = Object.entries(JSON.parse(readFileSync(metafile, "utf8")).outputs);
  const [, { inputs }] = outputs.find(([path]) => path.endsWith("index.js"));
  return {
    file,
    bytes: content.length,
    gzipBytes: gzipSync(content).length,
    inputs: Object.fromEntries(Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
  };
}
