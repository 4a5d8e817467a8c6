import { z } from "zod";
import { storable } from "./storable";

/** The maximum length of a name, in UTF-16 code units. The lengths of all strings are counted in these units. */
export const maxNameLength = 100;

/** The name that people give to a template, a campaign, a workflow or a part of one. */
export const Name = z
  .string()
  .min(1)
  .max(maxNameLength)
  .refine(...storable);

/** A name without the blanks around it: what people see on buttons and in lists must not be blank. */
export const VisibleName = z
  .string()
  .trim()
  .min(1, "Must not be blank")
  .max(maxNameLength)
  .refine(...storable);

export const Description = z
  .string()
  .max(500)
  .refine(...storable);
