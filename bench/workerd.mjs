import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Returns the CPU time that workerd has used so far. Only available on Linux; elsewhere it is 0. */
export function workerdMs(worker) {
  const msPerTick = 10;
  try {
    return processesOf(worker).reduce(
      (sum, { fields }) => sum + (Number(fields[11]) + Number(fields[12])) * msPerTick,
      0,
    );
  } catch {
    return 0;
  }
}

/** Returns the process numbers of a Worker's workerd. Only available on Linux. */
export function workerdPids(worker) {
  return processesOf(worker).map(({ pid }) => pid);
}

/**
 * Returns how much of the machine's memory a process holds, in megabytes: all of it, and without what is mapped from
 * files.
 */
export function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [all, anonymous] = ["VmRSS", "RssAnon"].map((name) => {
    const [, kilobytes] = status.match(new RegExp(`^${name}:\\s+(\\d+)`, "m"));
    return Number(kilobytes) / 1024;
  });
  return { all, anonymous };
}

/** Returns the ports on which a process listens. */
export function listeningPorts(pid) {
  const listening = "0A";
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => linkOf(`/proc/${pid}/fd/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1])
      .filter((inode) => inode !== undefined),
  );
  return ["tcp", "tcp6"]
    .flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode))
    .map(([, address]) => Number.parseInt(address.split(":")[1], 16));
}

/** Empty when the file was closed meanwhile. */
function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function processesOf({ groupId }) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), stat: statOf(pid) }))
    .filter(({ stat }) => stat.includes("(workerd)"))
    .map(({ pid, stat }) => ({ pid, fields: stat.slice(stat.lastIndexOf(")") + 2).split(" ") }))
    .filter(({ fields: [, , group] }) => Number(group) === groupId);
}

/** Empty when the process has ended meanwhile. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return "";
  }
}
