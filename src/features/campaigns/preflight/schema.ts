import { z } from "zod";
import { skipReasons, warningCodes } from "../../../core/campaigns/tally";

const counter = z.number().int();
const examples = z.array(z.string()).meta({ description: "At most five ids of contacts." });

/** The findings of a pre-flight so far. */
export const PreflightFindings = z.object({
  recipients: counter.meta({
    description: "The number of contacts in the audience: the sum of `willSend`, `skipped` and `renderErrors`.",
  }),
  willSend: counter.meta({ description: "The number of contacts whose email could be sent now." }),
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
        description: "At most five of the affected links or images, as written in the body. Empty for other warnings.",
      }),
    }),
  ),
  estimatedSeconds: counter,
  rowsWritten: counter,
});
export type PreflightFindings = z.infer<typeof PreflightFindings>;

export const PreflightResult = PreflightFindings.extend({
  version: z.number().int().meta({ description: "The version of the campaign that was checked." }),
  preflightToken: z.string().nullable().meta({
    description:
      "The token with which `POST /campaigns/{id}/send` sends exactly this version, for 15 minutes. Null for a campaign that is SENDING.",
  }),
}).meta({
  id: "PreflightResult",
  example: {
    recipients: 1042,
    willSend: 1000,
    skipped: [
      { reason: "unsubscribed", count: 41 },
      { reason: "suppressed_bounce", count: 1 },
    ],
    missing: [{ variable: "firstName", count: 17, examples: ["0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d"] }],
    renderErrors: [],
    clipped: 0,
    warnings: [],
    estimatedSeconds: 3,
    rowsWritten: 7003,
    version: 3,
    preflightToken: "cGV0cmVs",
  },
});
