/** Writes a number with its noun: `1 email`, `2,000 emails`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

const shown = 5;

/** Lists the first few names, and counts the others. */
export function someOf(names: readonly string[]): string {
  const rest = names.length - shown;
  return rest <= 0 ? names.join(", ") : `${names.slice(0, shown).join(", ")} and ${rest.toLocaleString("en")} more`;
}

const units: [seconds: number, noun: string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** Writes a duration in its largest whole unit: `3 hours`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, noun] = units.find(([size]) => seconds >= size) ?? [1, "second"];
  return counted(Math.floor(seconds / size), noun);
}
