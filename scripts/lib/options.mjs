import { parseArgs } from "node:util";
import { Failure } from "./failure.mjs";

/** Reads the arguments of a command. An unknown argument ends the command with `help`. */
export function readOptions(args, options, help, { allowPositionals = false } = {}) {
  try {
    return parseArgs({ args, options: { ...options, help: { type: "boolean", short: "h" } }, allowPositionals });
  } catch (error) {
    if (!error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new Failure(`${error.message}\n${help}`);
  }
}
