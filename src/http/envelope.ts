import { z } from "zod";
import { errorCodes } from "./error-codes";

/** A field with a fault. */
export const FieldFault = z.object({
  field: z.string().meta({ description: "The path of the field, such as `attachments.0.filename`." }),
  message: z.string(),
  code: z.enum([
    "invalid_type",
    "invalid_string",
    "too_small",
    "too_big",
    "invalid_enum_value",
    "required",
    "reserved_event",
    "custom",
  ]),
  received: z.unknown().optional(),
});

/** The body of every error response. */
export const ErrorEnvelope = z
  .object({
    success: z.literal(false),
    message: z.string().meta({ description: "`error.message` and `error.suggestion` together." }),
    error: z.object({
      code: z.string().meta({
        description: `One of ${Object.keys(errorCodes).join(", ")}. Codes may be added: treat unknown ones by their status.`,
      }),
      message: z.string(),
      statusCode: z.number().int(),
      requestId: z.string(),
      errors: z.array(FieldFault).optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      suggestion: z.string().optional().meta({ description: "What to do next." }),
    }),
    timestamp: z.iso.datetime(),
  })
  .meta({
    id: "Error",
    example: {
      success: false,
      message:
        "Request validation failed. to: Must be an email address such as ada@example.com. Correct the fields listed in errors and send the request again.",
      error: {
        code: "VALIDATION_ERROR",
        message: "Request validation failed. to: Must be an email address such as ada@example.com.",
        statusCode: 422,
        requestId: "6f1c0a52-3b8e-4f0d-9a7c-5e2d1b0f8a34",
        errors: [
          {
            field: "to",
            message: "Must be an email address such as ada@example.com",
            code: "invalid_string",
            received: "nope",
          },
        ],
        suggestion: "Correct the fields listed in errors and send the request again.",
      },
      timestamp: "2026-01-31T09:00:00.000Z",
    },
  });
