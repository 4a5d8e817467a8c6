import { foreign } from "../../core/foreign-names";
import { configNames } from "../../core/workflows/config-names";
import { triggerParts } from "../../core/workflows/trigger";

// The field names that are known inside request bodies. The answer warns of all other names.

export const triggerNames = { triggerConfig: triggerParts };

/**
 * Names that are often put next to `triggerConfig` instead of into it. Ignoring `publicEvents: false` there would leave
 * a workflow open to public events.
 */
export const foreignNames = triggerParts
  .filter((name) => name !== "eventName")
  .map((name) => ({ name, advice: `Put it into triggerConfig: { "triggerConfig": { "${name}": … } }` }));

/**
 * Names that a PATCH refuses: in addition to `foreignNames`, those of the graph, because a PATCH changes only the
 * workflow itself.
 */
export const foreignNamesOfUpdate = [
  ...foreignNames,
  ...foreign(["steps", "transitions"], {
    advice: "Use PUT /workflows/{id}/document, which replaces all steps and transitions. PATCH changes none of them",
  }),
];

/** The known names in the parts of a step. `config` has the names of all step types together. */
export const stepParts = {
  config: configNames,
  "config.recipient": ["type", "customEmail"],
  "config.branches": ["id", "name", "operator", "value", "unit"],
  position: ["x", "y"],
};
export const conditionNames = ["config.condition"];

/** The known names in the parts of a whole workflow. */
export const documentParts = {
  ...triggerNames,
  steps: ["key", "type", "name", "config", "templateId", "position"],
  ...Object.fromEntries(Object.entries(stepParts).map(([part, names]) => [`steps.*.${part}`, names])),
  transitions: ["from", "to", "branch", "priority"],
};
export const documentConditions = conditionNames.map((path) => `steps.*.${path}`);
