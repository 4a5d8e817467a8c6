import { z } from "zod";

/** Something in a call that had no effect, or another one than the caller may expect. The call was good all the same. */
export const Warning = z.object({
  field: z.string(),
  message: z.string(),
});
export type Warning = z.infer<typeof Warning>;

/** For the schema of an answer. It is there only when there is something to say. */
export const Warnings = z
  .array(Warning)
  .optional()
  .meta({ description: "What in the call had no effect, and why. Only when there is something to say." });
