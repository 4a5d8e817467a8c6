import { newId } from "../../core/ids";
import { randomHex } from "../../core/keys";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { apiKeys, projects } from "../../db/tables";
import type { Platform, Project } from "../../platform/context";
import { emptiestShard } from "./emptiest";
import { newKey } from "./keys/key";
import type { CreateProject } from "./schema";

/**
 * A project with its first two keys, which are shown this once. All of it is in the control database: its rows come with
 * its calls.
 */
export async function createProject(
  platform: Platform,
  input: CreateProject,
): Promise<{ project: Project; keys: { secret: string; public: string } }> {
  const now = platform.now.getTime();
  const project: Project = {
    id: newId(),
    name: input.name,
    fromName: input.fromName || null,
    locale: input.locale ?? "en",
    disabled: false,
    disabledReason: null,
    tracking: input.tracking ?? "ENABLED",
    monthlySendLimit: input.monthlySendLimit ?? null,
    sendRatePerSecond: input.sendRatePerSecond ?? null,
    testClock: input.testClock ?? false,
    shard: await emptiestShard(platform),
    addressKey: randomHex(32),
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const [secretKey, publicKey] = await Promise.all([
    newKey(project.id, { kind: "secret" }, now),
    newKey(project.id, { kind: "public" }, now),
  ]);
  const { control } = platform;
  const batch = openBatch({ ...platform, db: control });
  batch.add(statement(control.insert(projects).values(project).getSQL()));
  batch.add(statement(control.insert(apiKeys).values([secretKey.row, publicKey.row]).getSQL()));
  await batch.commit();
  return { project, keys: { secret: secretKey.key, public: publicKey.key } };
}
