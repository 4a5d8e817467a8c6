import { z } from "zod";
import { exactNameFault } from "../events/names";

const maxNames = 50;

/** Returns why a webhook cannot listen for this name; null when it can. */
export function listenedNameFault(name: string): string | null {
  if (name === "*" || /^[^.*]+\.\*$/.test(name)) return null;
  if (name.includes("*")) {
    return `${name} matches nothing: use an exact name, a family such as email.* (the part before the first dot), or *`;
  }
  return exactNameFault(name, ", or email.*");
}

/** The names that a webhook listens for. Duplicates count once. */
export const ListenedNames = z
  .array(z.string())
  .min(1)
  .max(maxNames)
  .superRefine((names, check) => {
    for (const [index, name] of names.entries()) {
      const fault = listenedNameFault(name);
      if (fault !== null) {
        check.addIssue({ code: "custom", message: fault, path: [index], params: { code: "invalid_string" } });
      }
    }
  })
  .transform((names) => [...new Set(names)])
  .meta({
    type: "array",
    items: { type: "string" },
    minItems: 1,
    maxItems: maxNames,
    description: "Exact names, families such as `email.*` (the part before the first dot), or `*` for every event.",
  });
