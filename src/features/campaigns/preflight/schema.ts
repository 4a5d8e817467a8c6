import { z } from "zod";
import { skipReasons, warningCodes } from "../../../core/campaigns/tally";

const counter = z.number().int();
const examples = z.array(z.string()).meta({ description: "Ids of contacts, five at most." });

/** The `result` of a pre-flight's job. */
export const PreflightResult = z.object({
  recipients: counter.meta({
    description: "Everybody in the audience: `willSend`, `skipped` and `renderErrors` add up to it.",
  }),
  willSend: counter.meta({ description: "Those whose mail can be sent as things are now." }),
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
          "The links or images that it is about, as they are written in the body: five at most. Empty for other warnings.",
      }),
    }),
  ),
  estimatedSeconds: counter,
  rowsWritten: counter,
});
export type PreflightResult = z.infer<typeof PreflightResult>;
