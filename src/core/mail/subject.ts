import { z } from "zod";
import { maxSubjectLength } from "./message";

/** The schema of a subject as callers send it: on one line. */
export const Subject = z
  .string()
  .min(1)
  .max(maxSubjectLength)
  .refine((subject) => !/[\r\n\0]/.test(subject), {
    message: "Must be on one line",
    params: { code: "invalid_string" },
  });
