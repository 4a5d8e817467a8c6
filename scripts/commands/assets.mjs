import { copyAssets } from "../lib/assets.mjs";

export async function main() {
  for (const path of copyAssets()) console.log(`${path} is not installed: what needs it fails.`);
}
