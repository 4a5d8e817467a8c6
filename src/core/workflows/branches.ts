import type { FilterCondition } from "../audience/condition";
import { isFieldOperator } from "../audience/operators";
import type { ConditionConfig } from "./config";
import { contactFieldOf } from "./run-fields";
import type { Step } from "./step";

/** A way out of a CONDITION, taken if its condition is the first that holds. */
interface Branch {
  branch: string;
  condition: FilterCondition;
}

/** The branches of a CONDITION in the order in which they are asked, and the one for when none holds. */
export function branchesOf(config: ConditionConfig): { branches: Branch[]; otherwise: string } {
  if ("mode" in config) {
    const branches = config.branches.map(({ id, name: _, ...filter }) => ({
      branch: id,
      condition: only({ ...filter, field: config.field }),
    }));
    return { branches, otherwise: "default" };
  }
  const condition = "condition" in config ? config.condition : only(config);
  return { branches: [{ branch: "yes", condition }], otherwise: "no" };
}

/** The branches that a step may take. Of most types there are none. */
export function branchNames(step: Step): string[] {
  if (step.type === "WAIT_FOR_EVENT") return ["event", "timeout"];
  if (step.type !== "CONDITION") return [];
  const { branches, otherwise } = branchesOf(step.config);
  return [...branches.map(({ branch }) => branch), otherwise];
}

/** All conditions of a CONDITION as one: what it names, and how large it is. */
export function wholeCondition(config: ConditionConfig): FilterCondition {
  const { branches } = branchesOf(config);
  const [first] = branches;
  if (first && branches.length === 1) return first.condition;
  return { logic: "OR", groups: branches.flatMap(({ condition }) => condition.groups) };
}

/** The condition in the terms of segments, which have no `contact.` before the fields of contacts. */
export function inSegmentTerms({ logic, groups }: FilterCondition): FilterCondition {
  return {
    logic,
    groups: groups.map(({ filters, conditions }) => ({
      filters: filters.map((filter) =>
        // An event or a segment may have such a name itself.
        isFieldOperator(filter.operator) ? { ...filter, field: contactFieldOf(filter.field) } : filter,
      ),
      ...(conditions && { conditions: inSegmentTerms(conditions) }),
    })),
  };
}

function only(filter: FilterCondition["groups"][number]["filters"][number]): FilterCondition {
  return { logic: "AND", groups: [{ filters: [filter] }] };
}
