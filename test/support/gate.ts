import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { keeperOf } from "../../src/platform/gate";
import type { ProjectGateObject } from "../../src/platform/project-gate-object";

type Gate = DurableObjectStub<ProjectGateObject>;

/** An object of a gate by its name. */
export function named(name: string): Gate {
  const objects = env.GATE as unknown as DurableObjectNamespace<ProjectGateObject>;
  return objects.get(objects.idFromName(name));
}

/** The object that keeps a key of a project's secret keys. */
export function keeperOfKey(projectId: string, key: string): Gate {
  return named(keeperOf(projectId, { kind: "secret", key }));
}

/** A statement over all idempotency keys of a project, wherever they are kept. */
export async function keyRows(projectId: string, sql: string, ...values: SqlStorageValue[]) {
  const rows: Record<string, SqlStorageValue>[] = [];
  for (let index = 0; index < 16; index++) {
    const found = await runInDurableObject(named(`${projectId}/${index}`), (_, state) =>
      state.storage.sql.exec(sql, ...values).toArray(),
    );
    rows.push(...found);
  }
  return rows;
}
