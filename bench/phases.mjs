/** What a mail costs from its row to the provider and back: files of ours, by phase. */
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
 * The milliseconds of each phase for each of `count` mails. The nearest file of ours says what a time was spent for: a driver's time belongs
 * to who called it.
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
