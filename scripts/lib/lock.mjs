import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isGroupAlive, startOf } from "./processes.mjs";

const HELD = ".held";
const GROUP = ".group";

/**
 * Takes a lock, which is a folder, and notes `about` in it. Returns `release` and `shareWith`; or the note of the `holder`,
 * with the `group` that still has the lock when the holder itself is gone. `shareWith` also gives the lock to a process
 * group: it is held until both the process and the group have ended.
 *
 * Each process first writes a claim under a name of its own, and only then looks for other claims: of two at once, at
 * least one sees the other and withdraws. The name identifies the process, so the claim of a killed process counts for
 * nothing, and its removal can never hit another claim.
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
      // The claim is linked, not renamed: a folder that is being read may show neither name of a file that is renamed.
      linkSync(claim, claim + HELD);
      return { release: withdraw, shareWith: (groupId) => writeFileSync(claim + GROUP, String(groupId)) };
    }
    withdraw();
    const holder = others.find(({ isHeld }) => isHeld);
    if (holder) return { holder: noteOf(folder, holder), group: holder.group };
    // Both withdrew. A random wait decides which one retries first.
    await sleep(Math.random() * 100);
  }
}

/** Returns the note of the process that holds the lock; null without one. */
export function readHolder(folder) {
  const holder = livingClaims(folder).find(({ isHeld }) => isHeld);
  return holder ? noteOf(folder, holder) : null;
}

/** Returns the claims of living processes, and removes those that killed processes left. */
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

/** Returns the process group with which the lock is shared; null without one. */
function groupOf(folder, name) {
  try {
    return Number(readFileSync(join(folder, name + GROUP), "utf8"));
  } catch {
    return null;
  }
}

/** The order matters, because a claim counts for as long as its file exists. */
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

/** Null when the process has just released the lock. */
function noteOf(folder, { name }) {
  try {
    return JSON.parse(readFileSync(join(folder, name), "utf8"));
  } catch {
    return null;
  }
}
