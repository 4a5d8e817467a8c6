import { buildClient, packCli, packClient } from "../lib/client/pack.mjs";
import { writeSnippet } from "../lib/client/snippet.mjs";
import { ensureInstalled } from "../lib/install.mjs";

/**
 * `npm run client`: builds the snippet of clients/browser, and the packages of clients/node and clients/cli, which can
 * be installed from their files.
 */
export async function main() {
  await ensureInstalled();
  await writeSnippet();
  await buildClient();
  console.log(await packClient());
  console.log(await packCli());
}
