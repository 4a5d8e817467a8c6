import { z } from "zod";
import { Warnings } from "../../../core/warning";
import { Execution, executionExample } from "../../workflows/executions/schema";

const example = { ...executionExample, workflowName: "Welcome", currentStepName: "A day later" };

const ContactExecution = Execution.extend({
  workflowName: z.string(),
  currentStepName: z
    .string()
    .nullable()
    .meta({ description: "The name of the current step. Null if the step was removed." }),
}).meta({ id: "ContactExecution", example });

export const ContactExecutionPage = z
  .object({
    data: z.array(ContactExecution),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    approximate: z
      .literal(true)
      .optional()
      .meta({ description: "Present if the contact has more executions than `total`, which stops at 25,000." }),
    countedAt: z.iso.datetime().optional(),
    warnings: Warnings,
  })
  .meta({ id: "ContactExecutionPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });
