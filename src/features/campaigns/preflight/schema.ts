import { z } from "zod";
import { skipReasons, warningCodes } from "../../../core/campaigns/tally";

const counter = z.number().int();
const examples = z.array(z.string()).meta({ description: "At most five ids of contacts." });

/** The `result` of a pre-flight's job. */
export const PreflightResult = z.object({
  recipients: counter.meta({
    description: "All contacts in the audience: the sum of `willSend`, `skipped` and `renderErrors`.",
  }),
  willSend: counter.meta({ description: "Contacts whose email could be sent now." }),
  skipped: z.array(z.object({ reason: z.enum(skipReasons), count: counter })),
  missing: z.array(z.object({ variable: z.string(), count: counter, examples })),
  renderErrors: z.array(z.object({ message: z.string(), count: counter, examples })),
  clipped: counter,
  warnings: z.array(
    z.object({
      code: z.enum(warningCodes),
      message: z.string(),
      count: counter,
      examples: z.array(z.string()).meta({
        description:
          "At most five of the links or images concerned, as they are written in the body. Empty for other warnings.",
      }),
    }),
  ),
  estimatedSeconds: counter,
  rowsWritten: counter,
});
export type PreflightResult = z.infer<typeof PreflightResult>;
