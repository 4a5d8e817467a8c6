import { copyAssets } from "../lib/assets.mjs";
import { ensureConsole } from "../lib/console/build.mjs";
import { ensureDocs } from "../lib/site/build.mjs";

export async function main() {
  for (const path of copyAssets()) console.log(`${path} is not installed: what needs it fails.`);
  await ensureDocs();
  await ensureConsole();
}
