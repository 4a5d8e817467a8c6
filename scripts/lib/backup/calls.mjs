import { setTimeout as wait } from "node:timers/promises";
import { mayPass } from "../failure.mjs";

const WAITS_MS = [1_000, 2_000, 4_000, 8_000];
/** How many files are transferred at once. */
const AT_ONCE = 2;

/** Makes a call that can be repeated, and repeats it while its answer is lost or the server is busy. */
export async function persistently(call) {
  for (const ms of WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await wait(ms);
  }
  return call();
}

/** Reads files by their names, a few at once, and yields them in the order of the names. */
export async function* inOrder(names, read) {
  const started = [];
  const start = (name) => {
    const content = read(name);
    // The failure is thrown when the file's turn comes.
    content.catch(() => {});
    started.push({ name, content });
  };
  for await (const name of names) {
    start(name);
    if (started.length === AT_ONCE) yield arrived(started.shift());
  }
  while (started.length > 0) yield arrived(started.shift());
}

async function arrived({ name, content }) {
  return { name, content: await content };
}
