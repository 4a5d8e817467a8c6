/** Our files by the phase of an email's cost, from its row to the provider and back. */
export const mailPhases = [
  [
    "render",
    /^src\/(core\/(templating|tracking)|core\/mail\/(render-mail|text-version|plain-text|unsubscribing)|engine\/mail\/render)/,
  ],
  [
    "compose",
    /^src\/(core\/mail\/mime|platform\/mailer\/ses-body|engine\/mail\/(compose|links|content|body|attachments))/,
  ],
  ["call", /^src\/platform\/mailer\//],
  ["record", /^src\/engine\/(mail\/(record|report|hand-over)|events)/],
  ["claim", /^src\/(engine\/mail|queue|features\/send\/jobs)/],
];

/**
 * Returns the milliseconds of each phase for each of `count` emails. The nearest of our files determines the phase: the
 * time of a driver belongs to its caller.
 */
export function byPhase(times, phases, count) {
  const msOf = Object.fromEntries([...phases.map(([phase]) => [phase, 0]), ["other", 0]]);
  const phaseOf = (module) => phases.find(([, files]) => files.test(module))?.[0];
  for (const { ms, module, callers } of times) {
    const phase = [module, ...callers].map(phaseOf).find((phase) => phase !== undefined) ?? "other";
    msOf[phase] += ms / count;
  }
  return msOf;
}
