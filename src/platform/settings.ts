import { z } from "zod";

/** Texts from wrangler.toml, and secrets: `Env` has each setting as a text or not at all. */
export type Settings<Shape extends z.ZodRawShape> = { [Name in keyof Shape]?: string };

/** Reads some settings with their defaults. Throws an error that names each setting that is wrong. */
export function parseSettings<Shape extends z.ZodRawShape>(shape: Shape, env: object): z.infer<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw unreadable(faults.join("; "));
}

export function unreadable(fault: string): Error {
  return new Error(`Petrel's settings cannot be read. ${fault}`);
}

/** A text; an empty one counts as absent. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => text || null);

export const optionalOrigin = optionalText.refine(
  (text) => text === null || /^https?:\/\/[^\s/]+$/.test(text),
  "Must be an origin: https://host",
);
