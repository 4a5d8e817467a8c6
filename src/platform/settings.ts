import { z } from "zod";

/** The types of settings in `Env`: a text from wrangler.toml or a secret, or absent. */
export type Settings<Shape extends z.ZodRawShape> = { [Name in keyof Shape]?: string };

/** Reads some settings, with defaults. Throws an error that names each invalid setting. */
export function parseSettings<Shape extends z.ZodRawShape>(shape: Shape, env: object): z.infer<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw unreadable(faults.join("; "));
}

export function unreadable(fault: string): Error {
  return new Error(`Petrel's settings cannot be read. ${fault}`);
}

/** An optional text setting. An empty text counts as absent. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => text || null);

export const optionalOrigin = optionalText.refine(
  (text) => text === null || /^https?:\/\/[^\s/]+$/.test(text),
  "Must be an origin: https://host",
);
