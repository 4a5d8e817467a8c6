import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../failure.mjs";
import { CLIENT, CLIENT_BUILD, machinePath } from "../paths.mjs";
import { captureTool } from "../tools.mjs";

/** Builds the client into `clients/node/dist`. */
export async function buildClient() {
  const { code, output } = await captureTool(CLIENT_BUILD, []);
  if (code !== 0) throw new Failure(`The client could not be built:\n\n${output}`);
}

/** Packs the client as npm would publish it. Returns the package's file. */
export async function packClient(folder = CLIENT) {
  await buildClient();
  const { stdout } = await promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: CLIENT,
    env: { ...process.env, PATH: machinePath },
  });
  return join(folder, stdout.trim());
}
