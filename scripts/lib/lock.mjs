import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isGroupAlive, startOf } from "./processes.mjs";

const HELD = ".held";
const GROUP = ".group";

/**
 * Takes a lock, which is a folder, and notes `about` in it. The answer is `release` and `shareWith`, or the note of the
 * `holder`, with the `group` that still has the lock when the holder itself is gone. `shareWith` gives the lock to a process
 * group too: it is held until both the process and the group have ended.
 *
 * Each process writes a claim under a name of its own and looks for others only then: of two at once, at least one sees
 * the other, and gives way. The name says which process it is, so the claim of one that was killed counts for nothing,
 * and its removal can never hit another's.
 */
export async function takeLock(folder, about) {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const name = `${process.pid}-${startOf(process.pid)}-${randomBytes(8).toString("hex")}`;
    const claim = join(folder, name);
    const withdraw = () => removeClaim(folder, name);
    writeFileSync(claim, JSON.stringify(about));
    const others = livingClaims(folder).filter((other) => other.name !== name);
    if (others.length === 0) {
      // The claim stays beside it: a folder that is being read may show neither name of a file that is renamed.
      linkSync(claim, claim + HELD);
      return { release: withdraw, shareWith: (groupId) => writeFileSync(claim + GROUP, String(groupId)) };
    }
    withdraw();
    const holder = others.find(({ isHeld }) => isHeld);
    if (holder) return { holder: noteOf(folder, holder), group: holder.group };
    // Both gave way: chance decides which one is back first.
    await sleep(Math.random() * 100);
  }
}

/** The note of the process that has the lock, or null. */
export function readHolder(folder) {
  const holder = livingClaims(folder).find(({ isHeld }) => isHeld);
  return holder ? noteOf(folder, holder) : null;
}

/** Removes what processes that were killed left behind on the way. */
function livingClaims(folder) {
  const files = filesOf(folder);
  const claims = files.filter((file) => !file.endsWith(HELD) && !file.endsWith(GROUP));
  return claims.flatMap((name) => {
    const isHeld = files.includes(name + HELD);
    const [pid, start] = name.split("-");
    if (startOf(pid) === start) return { name, isHeld };
    const group = groupOf(folder, name);
    if (group !== null && isGroupAlive(group)) return { name, isHeld, group };
    removeClaim(folder, name);
    return [];
  });
}

/** The process group that the lock is shared with, or null. */
function groupOf(folder, name) {
  try {
    return Number(readFileSync(join(folder, name + GROUP), "utf8"));
  } catch {
    return null;
  }
}

/** In this order, because a claim counts for as long as it is there. */
function removeClaim(folder, name) {
  for (const file of [name + HELD, name + GROUP, name]) rmSync(join(folder, file), { force: true });
}

function filesOf(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

/** Null when its process has just let go. */
function noteOf(folder, { name }) {
  try {
    return JSON.parse(readFileSync(join(folder, name), "utf8"));
  } catch {
    return null;
  }
}
