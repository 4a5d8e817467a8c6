import { type ParseArgsConfig, parseArgs } from "node:util";
import colours from "picocolors";

export interface CommandOption {
  type: "string" | "boolean";
  /** Whether the option may be given several times. */
  multiple?: boolean;
  short?: string;
  /** The word for its value in the help. */
  value?: string;
  about: string;
}

/** The arguments of a call, by the names of the command's options. */
export interface Given {
  words: string[];
  text(name: string): string | undefined;
  texts(name: string): string[];
  has(name: string): boolean;
}

export interface Command {
  summary: string;
  /** The arguments after the command's name. */
  usage: string;
  about?: string;
  options: Record<string, CommandOption>;
  examples: string[];
  /** Returns the exit code. */
  run(given: Given): Promise<number>;
}

/** A command line that the command does not understand: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The command cannot do what was asked: exit code 1. The message says what to do. */
export class Refusal extends Error {
  override name = "Refusal";
}

const common: Record<string, CommandOption> = {
  help: { type: "boolean", short: "h", about: "Show this" },
};

/** Returns the arguments, or null when they ask for help. Throws UsageError. */
export function readGiven(command: Command, args: string[]): Given | null {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, { type, multiple = false, short }] of Object.entries({ ...command.options, ...common }))
    options[name] = { type, multiple, ...(short && { short }) };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) return null;
    const texts = (name: string) => [values[name] ?? []].flat().map(String);
    return { words: positionals, texts, text: (name) => texts(name)[0], has: (name) => values[name] === true };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function helpOf(name: string, { summary, usage, about, options, examples }: Command): string {
  const rows = Object.entries({ ...options, ...common }).map(([option, { short, value, about }]) => {
    const label = `${short ? `-${short}, ` : "    "}--${option}${value ? ` <${value}>` : ""}`;
    return [label, about] as const;
  });
  return [
    summary,
    "",
    `  ${colours.bold(`petrel ${name}`)} ${usage}`,
    ...(about ? ["", about] : []),
    "",
    columns(rows),
    "",
    ...examples.map((example) => `  ${colours.dim("$")} ${example}`),
    "",
  ].join("\n");
}

/** Formats rows of a label and a text, with the texts aligned. */
export function columns(rows: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${colours.cyan(label.padEnd(width))}  ${text}`).join("\n");
}
