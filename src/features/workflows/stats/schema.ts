import { z } from "zod";
import { stepTypes } from "../../../core/workflows/step";

const count = z.number().int();
const mails = count
  .optional()
  .meta({ description: "The number of emails of the step. Present only for a SEND_EMAIL step." });

export const WorkflowStats = z
  .object({
    steps: z.array(
      z.object({
        stepId: z.string(),
        name: z.string(),
        type: z.enum(stepTypes),
        entered: count.meta({ description: "The number of executions that reached the step." }),
        waiting: count.meta({ description: "The number of executions that are at the step now." }),
        completed: count,
        failed: count,
        skipped: count.meta({
          description: "The number of executions for which the step had no effect, or that were cancelled at it.",
        }),
        branches: z
          .array(z.object({ branch: z.string(), count }))
          .meta({ description: "The number of executions that took each branch. Empty for a step without branches." }),
        sent: mails,
        delivered: mails,
        opened: mails,
        clicked: mails,
        bounced: mails,
        complained: mails,
        unsubscribed: mails,
        approximate: z
          .literal(true)
          .optional()
          .meta({
            description:
              "Present if the step sent more than 12,500 emails. Its email figures are then estimated from the " +
              "newest ones.",
          }),
        countedAt: z.iso.datetime().optional(),
      }),
    ),
  })
  .meta({
    id: "WorkflowStats",
    example: {
      steps: [
        {
          ...{ stepId: "0199a0f2-c4d5-7c3d-ae4f-5a6b7c8d9e0f", name: "A day later", type: "DELAY" },
          ...{ entered: 1_200, waiting: 40, completed: 1_158, failed: 0, skipped: 2, branches: [] },
        },
      ],
    },
  });
export type WorkflowStats = z.infer<typeof WorkflowStats>;
