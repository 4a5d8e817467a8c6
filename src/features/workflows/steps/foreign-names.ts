import { type ForeignName, foreign } from "../../../core/foreign-names";
import { configNames } from "../../../core/workflows/config-names";

/** Names that callers put next to `config`, with the right name for each. */
export const foreignNamesOfStep: ForeignName[] = [
  ...configNames
    .filter((name) => name !== "templateId")
    .map((name) => ({ name, advice: `Put it into config: { "config": { "${name}": … } }` })),
  ...foreign(["template", "template_id"], { standsFor: "templateId", advice: "Use templateId, the template's id" }),
  ...foreign(["parentId", "parent", "after", "previous", "previousStepId"], {
    standsFor: "connectFrom",
    advice: "Use connectFrom, the id of the previous step",
  }),
  ...foreign(["next", "nextStepId"], { advice: "Create the next step with the id of this one as its connectFrom" }),
];
