import { z } from "zod";
import { storable } from "../../storable";
import type { StepDefinition } from "./definition";

const maxReasonLength = 500;

const ExitConfig = z
  .object({
    reason: z
      .string()
      .max(maxReasonLength)
      .refine(...storable)
      .nullish()
      .meta({ description: "The `exitReason` of the execution." }),
  })
  .transform(({ reason }): { reason?: string } => (reason ? { reason } : {}))
  .meta({ id: "ExitStepConfig", example: { reason: "Has bought" } });

export const exit = {
  does: "ends the execution, with a reason",
  shape: ["([", "])"],
  config: ExitConfig,
  isEnd: true,
  decide: ({ reason = null }) => ({ kind: "exits", reason }),
  text: ({ reason = "" }) => reason,
} as const satisfies StepDefinition<z.infer<typeof ExitConfig>>;
