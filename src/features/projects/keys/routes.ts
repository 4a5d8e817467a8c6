import { ProjectParam, pathId } from "../../../http/params";
import { operatorRoutes } from "../../../http/routes";
import { foreignNamesOfKey } from "../foreign-names";
import { CreatedKey, CreateKey, Keys } from "../schema";
import { addKey, tooManyKeys } from "./add";
import { createdKeyJson, keyJson } from "./key";
import { listKeys } from "./list";
import { revokeKey } from "./revoke";

export const keys = operatorRoutes("Operator");

keys.post(
  "/admin/projects/{id}/keys",
  {
    id: "addKey",
    isAudited: true,
    role: "admin",
    needsProof: true,
    summary: "Create another key",
    params: ProjectParam,
    body: CreateKey,
    created: CreatedKey,
    foreignNames: foreignNamesOfKey,
    refusals: () => [tooManyKeys()],
  },
  async (platform, { params, body }, c) => {
    const { key, row } = await addKey(platform, params.id, body, c.var.visitor);
    return { ...createdKeyJson(row), key };
  },
);

keys.get(
  "/admin/projects/{id}/keys",
  {
    id: "listKeys",
    role: "admin",
    summary: "List the keys of a project, with prefixes only",
    params: ProjectParam,
    ok: Keys,
  },
  async (platform, { params }) => {
    const rows = await listKeys(platform, params.id);
    return rows.map(keyJson);
  },
);

keys.delete(
  "/admin/projects/{id}/keys/{keyId}",
  {
    id: "revokeKey",
    isAudited: true,
    role: "admin",
    needsProof: true,
    summary: "Revoke a key",
    description: "The key stops working everywhere within 30 seconds.",
    params: ProjectParam.extend({ keyId: pathId("keyId") }),
  },
  (platform, { params }) => revokeKey(platform, params.id, params.keyId),
);
