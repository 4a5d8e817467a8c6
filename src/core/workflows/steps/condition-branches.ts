import { conditionOf, type FilterCondition } from "../../audience/condition";
import { parseFilter } from "../../audience/filter";
import { contactFieldOf } from "../run-fields";
import { type ConditionConfig, otherwise } from "./condition-config";

/** A branch of a CONDITION, taken if its condition is the first that holds. */
interface Branch {
  branch: string;
  condition: FilterCondition;
}

/**
 * Returns the branches of a CONDITION in the order in which they are evaluated, and the one to take when none holds.
 */
export function branchesOf(config: ConditionConfig): { branches: Branch[]; otherwise: string } {
  if ("mode" in config) {
    const branches = config.branches.map(({ id, name: _, ...filter }) => ({
      branch: id,
      condition: conditionOf({ ...filter, field: config.field }),
    }));
    return { branches, otherwise };
  }
  const condition = "condition" in config ? config.condition : conditionOf(config);
  return { branches: [{ branch: "yes", condition }], otherwise: "no" };
}

/** Combines all conditions of a CONDITION into one, which shows what they name and how large they are together. */
export function wholeCondition(config: ConditionConfig): FilterCondition {
  const { branches } = branchesOf(config);
  const [first] = branches;
  if (first && branches.length === 1) return first.condition;
  return { logic: "OR", groups: branches.flatMap(({ condition }) => condition.groups) };
}

/** Rewrites the condition as a segment would have it: without `contact.` in front of the fields of contacts. */
export function inSegmentTerms({ logic, groups }: FilterCondition): FilterCondition {
  return {
    logic,
    groups: groups.map(({ filters, conditions }) => ({
      filters: filters.map((filter) =>
        // Events and segments may have a name that begins with `contact.`, so only fields are renamed.
        parseFilter(filter).kind === "field" ? { ...filter, field: contactFieldOf(filter.field) } : filter,
      ),
      ...(conditions && { conditions: inSegmentTerms(conditions) }),
    })),
  };
}
