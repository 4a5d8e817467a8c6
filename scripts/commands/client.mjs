import { packClient } from "../lib/client/pack.mjs";
import { ensureInstalled } from "../lib/install.mjs";

/** `npm run client`: the package of clients/node, to be installed by its file. */
export async function main() {
  await ensureInstalled();
  console.log(await packClient());
}
