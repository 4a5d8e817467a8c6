/** The options of `npm run simulate`, which its help describes. */
export const options = {
  seeds: { type: "string", default: "20" },
  from: { type: "string" },
  seed: { type: "string" },
  steps: { type: "string", default: "60" },
  minutes: { type: "string" },
  found: { type: "boolean", default: false },
  twice: { type: "boolean", default: false },
  shrink: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
  plant: { type: "string" },
  planted: { type: "boolean", default: false },
  only: { type: "string" },
  upgrade: { type: "boolean", default: false },
};
