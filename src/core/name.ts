import { z } from "zod";
import { storable } from "./storable";

/** The limit in UTF-16 code units, as for all lengths of texts. */
export const maxNameLength = 100;

/** The name that people give to a template, a campaign, a workflow or a part of one. */
export const Name = z
  .string()
  .min(1)
  .max(maxNameLength)
  .refine(...storable);

export const Description = z
  .string()
  .max(500)
  .refine(...storable);
