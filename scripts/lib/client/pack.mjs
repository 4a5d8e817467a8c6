import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../failure.mjs";
import { CLI, CLIENT, CLIENT_BUILD, machinePath } from "../paths.mjs";
import { captureTool } from "../tools.mjs";

/** Builds the client into `clients/node/dist`, and the command line into `clients/cli/dist`. */
export async function buildClient() {
  const { code, output } = await captureTool(CLIENT_BUILD, []);
  if (code !== 0) throw new Failure(`The client could not be built:\n\n${output}`);
}

/** Packs the built client as npm would publish it. Returns the package's file. */
export function packClient(folder = CLIENT) {
  return pack(CLIENT, folder);
}

/** Packs the built command line in the same way. */
export function packCli(folder = CLI) {
  return pack(CLI, folder);
}

async function pack(source, folder) {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: source,
    env: { ...process.env, PATH: machinePath },
  });
  return join(folder, stdout.trim());
}
