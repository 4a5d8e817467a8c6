import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HELD = ".held";

/**
 * Takes a lock, which is a folder, and notes `about` in it. The answer is `release`, or the note of the `holder`.
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
      return { release: withdraw };
    }
    withdraw();
    const holder = others.find(({ isHeld }) => isHeld);
    if (holder) return { holder: noteOf(folder, holder) };
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
  const claims = files
    .filter((file) => !file.endsWith(HELD))
    .map((name) => ({ name, isHeld: files.includes(name + HELD) }));
  return claims.filter(({ name }) => {
    const [pid, start] = name.split("-");
    if (startOf(pid) === start) return true;
    removeClaim(folder, name);
    return false;
  });
}

/** In this order, because a claim counts for as long as it is there. */
function removeClaim(folder, name) {
  for (const file of [name + HELD, name]) rmSync(join(folder, file), { force: true });
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

/**
 * When a process began: with its id, that tells it from every other one, also from a later one that got the same id.
 * Undefined when it is gone.
 */
function startOf(pid) {
  if (process.platform === "linux") {
    try {
      // The name in brackets before the other fields may hold blanks and brackets itself.
      const [status, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
      return status === "Z" ? undefined : fields[18];
    } catch {
      return undefined;
    }
  }
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { env, encoding: "utf8" });
  return stdout?.trim() ? String(Date.parse(stdout)) : undefined;
}
