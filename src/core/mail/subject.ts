import { z } from "zod";
import { maxSubjectLength } from "./message";

/** The subject of a mail, as callers give it: on one line. */
export const Subject = z
  .string()
  .min(1)
  .max(maxSubjectLength)
  .refine((subject) => !/[\r\n\0]/.test(subject), {
    message: "Must be on one line",
    params: { code: "invalid_string" },
  });
