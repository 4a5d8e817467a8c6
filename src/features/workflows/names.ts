import { foreign } from "../../core/foreign-names";
import { configNames } from "../../core/workflows/config-names";
import { triggerParts } from "../../core/workflows/trigger";

// The names in the parts of bodies, so that another one there is named in the answer.

export const triggerNames = { triggerConfig: triggerParts };

/** What stands beside `triggerConfig`: `publicEvents: false` that is ignored would leave a workflow open. */
export const foreignNames = triggerParts
  .filter((name) => name !== "eventName")
  .map((name) => ({ name, advice: `Put it into triggerConfig: { "triggerConfig": { "${name}": … } }` }));

/** A PATCH changes the workflow itself alone. */
export const foreignNamesOfUpdate = [
  ...foreignNames,
  ...foreign(["steps", "transitions"], {
    advice: "Use PUT /workflows/{id}/document, which replaces all steps and transitions; PATCH changes none of them",
  }),
];

/** Of a step. What the configs of all types have is taken together. */
export const stepParts = {
  config: configNames,
  "config.recipient": ["type", "customEmail"],
  "config.branches": ["id", "name", "operator", "value", "unit"],
  position: ["x", "y"],
};
export const conditionNames = ["config.condition"];

/** Of a whole workflow. */
export const documentParts = {
  ...triggerNames,
  steps: ["key", "type", "name", "config", "templateId", "position"],
  ...Object.fromEntries(Object.entries(stepParts).map(([part, names]) => [`steps.*.${part}`, names])),
  transitions: ["from", "to", "branch", "priority"],
};
export const documentConditions = conditionNames.map((path) => `steps.*.${path}`);
