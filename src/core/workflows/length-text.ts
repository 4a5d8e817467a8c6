import { dayMs, hourMs, minuteMs, secondMs } from "../time";

const units = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
  ["second", secondMs],
] as const;

/** Writes a length of time in the largest unit in which it is a whole number. */
export function lengthText(ms: number): string {
  const [unit, length] = units.find(([, unitMs]) => ms % unitMs === 0) ??
    units[units.length - 1] ?? ["second", secondMs];
  return counted(ms / length, unit);
}

export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
