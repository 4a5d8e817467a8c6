import { z } from "zod";
import { stepTypes } from "../../../core/workflows/step";

const count = z.number().int();

export const WorkflowStats = z
  .object({
    steps: z.array(
      z.object({
        stepId: z.string(),
        name: z.string(),
        type: z.enum(stepTypes),
        entered: count.meta({ description: "Executions that came to it." }),
        waiting: count.meta({ description: "Those that stand at it now." }),
        completed: count,
        failed: count,
        skipped: count.meta({ description: "Those that it had no effect for, and those that were cancelled at it." }),
      }),
    ),
  })
  .meta({
    id: "WorkflowStats",
    example: {
      steps: [
        {
          ...{ stepId: "0199a0f2-c4d5-7c3d-ae4f-5a6b7c8d9e0f", name: "A day later", type: "DELAY" },
          ...{ entered: 1_200, waiting: 40, completed: 1_158, failed: 0, skipped: 2 },
        },
      ],
    },
  });
export type WorkflowStats = z.infer<typeof WorkflowStats>;
