import { z } from "zod";
import type { Section } from "../../core/documents/find-sections";
import { BadRequest, Invalid } from "../../core/errors";
import { faultsOf } from "../../core/faults";
import type { JsonObject } from "../../core/json";
import type { Api } from "./api";

/** The resources that a tool works with. */
export interface Desk {
  api: Api;
  /** Loads the sections of the documentation. */
  documents(): Promise<Section[]>;
}

/**
 * A tool's result. `data` contains everything that tenants or recipients wrote. `next` is a sentence written by Petrel,
 * without any text by tenants or recipients.
 */
export interface Outcome {
  data: JsonObject;
  next?: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Whether the tool changes nothing. It is then available to a key of kind `read`. */
  reads: boolean;
  /** Whether the tool sends mail to people, which cannot be taken back. */
  reachesPeople: boolean;
  /** Whether repeating a call with the same arguments has no further effect. */
  isIdempotent: boolean;
  /** The JSON schema of the arguments. */
  inputSchema: JsonObject;
  /** Throws Invalid when the arguments do not match the schema. */
  run(desk: Desk, given: unknown): Promise<Outcome>;
}

interface Definition<Input extends z.ZodObject> extends Pick<Tool, "name" | "title" | "description"> {
  input: Input;
  run(desk: Desk, args: z.infer<Input>): Promise<Outcome>;
}

/** Defines a tool that only reads. */
export function readingTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  return toolOf(definition, { reads: true, reachesPeople: false, isIdempotent: true });
}

/** Defines a tool that sends mail. */
export function sendingTool<Input extends z.ZodObject>(
  definition: Definition<Input>,
  { isIdempotent }: Pick<Tool, "isIdempotent">,
): Tool {
  return toolOf(definition, { reads: false, reachesPeople: true, isIdempotent });
}

function toolOf<Input extends z.ZodObject>(
  { input, run, ...named }: Definition<Input>,
  effects: Pick<Tool, "reads" | "reachesPeople" | "isIdempotent">,
): Tool {
  return {
    ...named,
    ...effects,
    // zod types a JSON schema more loosely, but it is plain JSON.
    inputSchema: z.toJSONSchema(input, { io: "input" }) as JsonObject,
    run: (desk, given) => run(desk, read(input, given ?? {})),
  };
}

function read<Input extends z.ZodObject>(input: Input, given: unknown): z.infer<Input> {
  const { data, error } = input.safeParse(given);
  if (data !== undefined) return data;
  const unknown = error?.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : [])) ?? [];
  if (unknown.length === 0) throw new Invalid(error === undefined ? [] : faultsOf(error, given));
  throw new BadRequest(`This tool does not take ${unknown.join(", ")}. Nothing was done.`, {
    suggestion: `Use only ${Object.keys(input.shape).join(", ")}.`,
  });
}
