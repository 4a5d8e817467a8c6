import { z } from "zod";

/** A part of a valid call that had no effect, or a different effect than the caller may expect. */
export const Warning = z.object({
  field: z.string(),
  message: z.string(),
});
export type Warning = z.infer<typeof Warning>;

export const warningsMean = "The parts of the call that had no effect, and why. Present only if there are any.";

/** The schema of the warnings in an answer. The field is present only when there are any. */
export const Warnings = z.array(Warning).optional().meta({ description: warningsMean });
