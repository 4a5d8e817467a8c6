import { packClient } from "../lib/client/pack.mjs";
import { writeSnippet } from "../lib/client/snippet.mjs";
import { ensureInstalled } from "../lib/install.mjs";

/** `npm run client`: the snippet of clients/browser, and the package of clients/node, to be installed by its file. */
export async function main() {
  await ensureInstalled();
  await writeSnippet();
  console.log(await packClient());
}
