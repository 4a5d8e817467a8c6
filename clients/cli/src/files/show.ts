import { structuredPatch } from "diff";
import colours from "picocolors";
import { say } from "../screen";

/** Shows a difference between two texts, as git does. */
export function showDifference(before: string, after: string): void {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 2 });
  for (const { oldStart, newStart, lines } of hunks) {
    say(`  ${colours.dim(`@@ ${oldStart} → ${newStart} @@`)}`);
    for (const line of lines) say(`  ${paint(line)}`);
  }
}

function paint(line: string): string {
  if (line.startsWith("+")) return colours.green(line);
  return line.startsWith("-") ? colours.red(line) : colours.dim(line);
}
