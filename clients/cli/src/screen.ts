import colours from "picocolors";

export function say(text = ""): void {
  process.stdout.write(`${text}\n`);
}

export function warn(text: string): void {
  process.stderr.write(`${colours.yellow("!")} ${text}\n`);
}

/** Formats a number with separators, such as 10,000. */
export function thousands(count: number): string {
  return count.toLocaleString("en");
}

/** Returns `1 contact` or `2 contacts`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Shows the progress of work in one line that changes. Shows nothing if the output is not a terminal, as in the log of
 * a script.
 */
export function progress(label: string) {
  const isShown = process.stderr.isTTY;
  const write = (text: string) => isShown && process.stderr.write(`\u001b[K${text}\r`);
  return {
    at: (share: number) => write(`  ${label}  ${colours.dim(`${Math.floor(100 * share)} %`)}`),
    end: () => write(""),
  };
}
