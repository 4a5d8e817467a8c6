import { z } from "zod";
import { readId } from "../core/ids";
import type { Warning } from "../core/warning";

export const defaultLimit = 20;
export const maxLimit = 100;

/** An id in a path. Any string is accepted, because an unknown id is a 404, whatever its form. */
export const IdParam = z.object({ id: pathId("id") });

/** Returns the schema of an id in a path, under a given name. Used for paths with several ids. */
export function pathId(name: string) {
  return z
    .string()
    .transform(readId)
    .meta({ type: "string", ...inPath(name) });
}

/** A project's id in a path. Our rows store the same UUID, so it is not converted. */
export const ProjectParam = z.object({ id: z.string().meta(inPath("id")) });

function inPath(name: string) {
  return { param: { name, in: "path" as const }, example: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10" };
}

/** Returns the schema of a whole number of at least 1 in a query; values above `largest` count as `largest`. */
export function wholeNumber(fallback: number, largest: number) {
  return z
    .string()
    .regex(/^[0-9]+$/, "Must be a whole number of at least 1")
    .transform(Number)
    .refine((value) => value >= 1, { message: "Must be a whole number of at least 1", params: { code: "too_small" } })
    .transform((value) => Math.min(value, largest))
    .optional()
    .transform((value) => value ?? fallback)
    .meta({
      type: "integer",
      minimum: 1,
      default: fallback,
      description: `Values above ${largest} count as ${largest}, and \`warnings\` of the answer says so.`,
    });
}

/** Returns warnings for numbers above the maximum. `read` contains the values after parsing. */
export function clampWarnings(asked: Record<string, string>, read: Record<string, unknown>): Warning[] {
  return ["limit", "page", "pageSize"].flatMap((field) => {
    const used = read[field];
    if (typeof used !== "number" || Number(asked[field] ?? 0) <= used) return [];
    return [{ field, message: `The largest value is ${used}, which was used.` }];
  });
}

/** The schema of `?limit=` and `?cursor=`, for lists with cursors. */
export const CursorQuery = z.object({
  limit: wholeNumber(defaultLimit, maxLimit),
  cursor: z.string().optional().meta({ description: "The cursor of the previous page." }),
});

const maxPage = 1_000_000;

/** The schema of `?page=` and `?pageSize=`, for lists with numbered pages. */
export const PageQuery = z.object({
  page: wholeNumber(1, maxPage),
  pageSize: wholeNumber(defaultLimit, maxLimit),
});

/** Returns the schema of `?sort=` or `?dir=`, in which any unknown value counts as the first choice. */
export function orderBy<const Choice extends string>(fallback: Choice, ...others: Choice[]) {
  const choices = [fallback, ...others];
  return z
    .string()
    .optional()
    .transform((asked) => choices.find((choice) => choice === asked) ?? fallback)
    .meta({
      type: "string",
      enum: choices,
      default: fallback,
      description: "Any other value counts as the default.",
    });
}
