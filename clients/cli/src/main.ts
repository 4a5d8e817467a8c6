import { readFileSync } from "node:fs";
import { ConnectionError, PetrelError } from "petrel-client";
import colours from "picocolors";
import { type Command, columns, helpOf, Refusal, readGiven, UsageError } from "./command";
import { diff } from "./commands/diff";
import { importCommand } from "./commands/import";
import { pull } from "./commands/pull";
import { push } from "./commands/push";
import { send } from "./commands/send";
import { tail } from "./commands/tail";
import { say } from "./screen";

const commands: Record<string, Command> = { push, pull, diff, send, tail, import: importCommand };

/** Runs a command line, and returns its exit code: 0 done, 1 refused or failed, 2 not understood. */
async function main([name, ...args]: string[]): Promise<number> {
  if (name === "--version") return told(readVersion());
  if (name === undefined || name === "help" || name.startsWith("-")) {
    const asked = commands[args[0] ?? ""];
    return told(asked ? helpOf(args[0] ?? "", asked) : overview());
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return failed(new UsageError(`There is no command ${name}: ${Object.keys(commands).join(", ")}`), "");
  try {
    const given = readGiven(command, args);
    return given ? await command.run(given) : told(helpOf(name, command));
  } catch (error) {
    return failed(error, name);
  }
}

function told(text: string): number {
  say(text);
  return 0;
}

function overview(): string {
  return [
    `${colours.bold("petrel")}: an email platform's project, from the command line`,
    "",
    columns(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    "",
    `PETREL_URL and PETREL_KEY name the project, in the environment or in .env. ${colours.dim("petrel <command> --help")} says more.`,
    "",
  ].join("\n");
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

function failed(error: unknown, name: string): number {
  process.stderr.write(`${colours.red("✗")} ${described(error)}\n`);
  if (!(error instanceof UsageError)) return 1;
  process.stderr.write(colours.dim(`\n  petrel ${name === "" ? "" : `${name} `}--help\n`));
  return 2;
}

function described(error: unknown): string {
  if (error instanceof ConnectionError) return `${error.message}\n  Is PETREL_URL right, and does the service run?`;
  if (error instanceof PetrelError) {
    const untold = error.fields.filter(({ message }) => !error.message.includes(message));
    const faults = untold.map(({ field, message }) => `\n  ${colours.bold(field)}: ${message}`);
    const request = error.requestId ? colours.dim(`\n  request ${error.requestId}`) : "";
    return error.message + faults.join("") + request;
  }
  if (error instanceof UsageError || error instanceof Refusal) return error.message;
  if (error instanceof Error && "code" in error && error.code === "ENOENT")
    return `No such file: ${Reflect.get(error, "path")}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// A reader such as `head` may close the pipe before the end.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
process.exitCode = await main(process.argv.slice(2));
