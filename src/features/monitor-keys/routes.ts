import { z } from "zod";
import { pathId } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { addMonitorKey, tooManyMonitorKeys } from "./add";
import { listMonitorKeys } from "./list";
import { monitorKeyJson } from "./monitor-key";
import { revokeMonitorKey } from "./revoke";
import { CreatedMonitorKey, CreateMonitorKey, MonitorKeys } from "./schema";

/** `/admin/keys`: the installation's keys for monitoring. */
export const monitorKeys = operatorRoutes("Operator");

monitorKeys.post(
  "/admin/keys",
  {
    id: "addMonitorKey",
    isAudited: true,
    needsProof: true,
    summary: "Create a key that reads the installation's health",
    description: "The key reads `GET /admin/health` and `GET /admin/metrics`, and nothing else. It is shown only here.",
    body: CreateMonitorKey,
    created: CreatedMonitorKey,
    refusals: () => [tooManyMonitorKeys()],
  },
  async (platform, { body }) => {
    const { key, row } = await addMonitorKey(platform, body);
    return { ...monitorKeyJson(row), key };
  },
);

monitorKeys.get(
  "/admin/keys",
  { id: "listMonitorKeys", summary: "List the keys of the installation, with prefixes only", ok: MonitorKeys },
  async (platform) => (await listMonitorKeys(platform)).map(monitorKeyJson),
);

monitorKeys.delete(
  "/admin/keys/{keyId}",
  {
    id: "revokeMonitorKey",
    isAudited: true,
    needsProof: true,
    summary: "Revoke a key of the installation",
    description: "The key stops working everywhere within 30 seconds.",
    params: z.object({ keyId: pathId("keyId") }),
  },
  (platform, { params }) => revokeMonitorKey(platform, params.keyId),
);
