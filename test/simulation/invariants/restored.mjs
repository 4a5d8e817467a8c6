import { publicId } from "./ids.mjs";

/** Facts that demand nothing of what was written. */
const permissive = new Set(["resubscribing", "disabling", "cancelling", "deceived", "hit", "deleted", "written"]);

/** Whether what a tenant wrote at some time was lost, because its database went back to before. */
export function isLost({ restored }, name, at, { earlierMs = 0, lateMs = 0 } = {}) {
  return restored.some(({ names, from, to }) => names.has(name) && at >= from - earlierMs && at <= to + lateMs);
}

/** The facts that still stand. A deed that began before a restore may have had its effect before it. */
export function factsThatStand({ facts, restored }) {
  const isOver = ({ is, tenant, at, begunAt }) =>
    !permissive.has(is) && restored.some(({ names, from, to }) => names.has(tenant) && at >= from && begunAt <= to);
  return facts.filter((fact) => !isOver(fact));
}

/** Leaves out what tenants had made and what is there no more. */
export function forgetLost(world, { restored, tenants }) {
  if (restored.length === 0) return;
  const idsIn = (table) => new Set(world.rows(`SELECT id, project_id FROM ${table}`).map(({ id }) => publicId(id)));
  const [campaigns, segments] = [idsIn("campaigns"), idsIn("segments")];
  for (const tenant of tenants) {
    tenant.campaigns = tenant.campaigns.filter(({ id }) => campaigns.has(id));
    tenant.segments = tenant.segments.filter(({ id }) => segments.has(id));
  }
}
