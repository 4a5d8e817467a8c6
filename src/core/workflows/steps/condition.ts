import { conditionText, filterText } from "../../audience/filter-text";
import { referencesOf } from "../../audience/references";
import { foreign } from "../../foreign-names";
import { rootOf } from "../run-fields";
import { branchesOf, inSegmentTerms, wholeCondition } from "./condition-branches";
import { ConditionConfig, formOf } from "./condition-config";
import type { StepDefinition } from "./definition";

/** The maximum number of filters of a condition that a diagram shows. */
const maxShown = 3;

export const condition = {
  does: "takes the first branch whose condition holds",
  shape: ["{", "}"],
  config: ConditionConfig,
  formOf,
  foreignNames: foreign(["conditions", "filter", "filters", "if", "expression"], {
    standsFor: "condition",
    advice: 'Use field, operator and value, such as { "field": "data.plan", "operator": "equals", "value": "pro" }',
  }),
  branches: {
    are: "`yes` or `no`; with several branches the id of one, or `default`",
    namesOf: (config) => {
      const { branches, otherwise } = branchesOf(config);
      return [...branches.map(({ branch }) => branch), otherwise];
    },
    areOptional: false,
  },
  text: (config) => {
    if ("mode" in config) return config.field;
    return "condition" in config ? conditionText(config.condition, maxShown) : filterText(config);
  },
  issues: (_, { drawn }) => (drawn.length === 0 ? ["None of its branches is drawn, so an execution ends here."] : []),
  references: (config) => {
    const { fields, ...rest } = referencesOf(inSegmentTerms(wholeCondition(config)));
    // Values of the execution, such as `event.plan`, are not fields of contacts.
    return { ...rest, fields: fields.filter((field) => rootOf(field) === null) };
  },
} as const satisfies StepDefinition<ConditionConfig>;
