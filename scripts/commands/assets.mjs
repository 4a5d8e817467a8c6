import { copyAssets } from "../lib/assets.mjs";

export async function main() {
  if (!copyAssets()) console.log("@scalar/api-reference is not installed, so /docs stays empty.");
}
