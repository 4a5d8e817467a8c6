import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Gives `work` a folder that only this user can read. The folder is deleted afterwards, even when a signal ends the
 * script.
 */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "petrel-deploy-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const stops = Object.entries(SIGNALS).map(([signal, code]) => {
    const stop = () => {
      remove();
      // On a terminal, wrangler also receives Ctrl-C, and ends in its own way before us.
      if (!isOnTerminal()) process.exit(code);
    };
    process.once(signal, stop);
    return () => process.off(signal, stop);
  });
  try {
    return await work(folder);
  } finally {
    remove();
    for (const stop of stops) stop();
  }
}

/** Removes a file when the script ends, even by a signal. Returns a function that cancels this. */
export function removeAtEnd(path) {
  const remove = () => rmSync(path, { force: true });
  const ends = Object.entries(SIGNALS).map(([signal, code]) => [signal, () => process.exit(code)]);
  process.once("exit", remove);
  for (const [signal, end] of ends) process.once(signal, end);
  return () => {
    process.off("exit", remove);
    for (const [signal, end] of ends) process.off(signal, end);
  };
}

/** Whether a person can answer a question. */
export function isOnTerminal() {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY);
}
