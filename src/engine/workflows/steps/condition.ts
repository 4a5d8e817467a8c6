import { branchesOf } from "../../../core/workflows/branches";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { Context } from "../../../platform/context";
import type { Arrival } from "./arrival";
import { ConditionTooLarge, decide } from "./decide";

/** Decides which branch each execution takes. It only reads, so a repeat decides again by the data of that time. */
export async function takeBranches(ctx: Context, arrivals: Arrival<"CONDITION">[]): Promise<StepOutcome[]> {
  const [first] = arrivals;
  if (!first) return [];
  const { branches, otherwise } = branchesOf(first.step.config);
  const runs = arrivals.map(({ contactId, scope }) => ({ contactId, values: scope }));
  try {
    const decisions = await decide(
      ctx,
      branches.map(({ condition }) => condition),
      runs,
    );
    return decisions.map((decision): StepOutcome => {
      if (decision === "gone") return { kind: "cancelled", reason: contactDeleted };
      const { first: place, because } = decision;
      const branch = place === null ? otherwise : (branches[place]?.branch ?? otherwise);
      return { kind: "done", branch, output: { branch }, because };
    });
  } catch (error) {
    if (!(error instanceof ConditionTooLarge)) throw error;
    return arrivals.map(() => ({ kind: "failed", reason: error.message }));
  }
}

export const contactDeleted = "The contact was deleted";
