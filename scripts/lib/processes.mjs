import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const isLinux = process.platform === "linux";

/**
 * Returns when a process began. Together with its id, that distinguishes it from every other process, even a later one
 * with the same id. Undefined when the process is gone.
 */
export function startOf(pid) {
  if (isLinux) {
    const { status, start } = statOf(pid) ?? {};
    return status === "Z" ? undefined : start;
  }
  const stdout = ps("-o", "lstart=", "-p", String(pid)).trim();
  return stdout ? String(Date.parse(stdout)) : undefined;
}

/**
 * Whether any process of the group still runs. A process that has ended without being waited for does not count:
 * without an init that does so, as in many containers, it stays in the list for good.
 */
export function isGroupAlive(groupId) {
  const members = isLinux
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => statOf(pid) ?? [])
    : ps("-A", "-o", "stat=,pgid=")
        .split("\n")
        .map((line) => {
          const [status = "", group] = line.trim().split(/\s+/);
          return { status: status[0], group };
        });
  return members.some(({ status, group }) => group === String(groupId) && status !== "Z");
}

/** Undefined when the process is gone. */
function statOf(pid) {
  try {
    // The name in brackets before the other fields may contain blanks and brackets itself.
    const [status, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return { status, group: fields[1], start: fields[18] };
  } catch {
    return undefined;
  }
}

function ps(...args) {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  return spawnSync("ps", args, { env, encoding: "utf8" }).stdout ?? "";
}
