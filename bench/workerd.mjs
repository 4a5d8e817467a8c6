import { readdirSync, readFileSync } from "node:fs";

/** The CPU time that workerd has taken so far. Only Linux says so; elsewhere it is 0. */
export function workerdMs({ groupId }) {
  const msPerTick = 10;
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFileSync(`/proc/${pid}/stat`, "utf8"))
      .filter((stat) => stat.includes("(workerd)"))
      .map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" "))
      .filter(([, , group]) => Number(group) === groupId)
      .reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) * msPerTick, 0);
  } catch {
    return 0;
  }
}
