import { sql } from "drizzle-orm";
import { newId, publicId } from "../../core/ids";
import { randomHex } from "../../core/keys";
import { hourMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { apiKeys, projects } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Platform, Project } from "../../platform/context";
import { auditedProject } from "./audited";
import { emptiestShard } from "./emptiest";
import { newKey } from "./keys/key";
import type { CreateProject } from "./schema";

/** A new project stores next to nothing. */
const firstCountMs = 6 * hourMs;

/**
 * Creates a project with its first two keys, which are shown only once. Everything is stored in the control database;
 * later calls write rows to the project's own database.
 */
export async function createProject(
  platform: Platform,
  input: CreateProject,
): Promise<{ project: Project; keys: { secret: string; public: string } }> {
  const now = platform.now.getTime();
  const id = publicId(newId());
  const project: typeof projects.$inferInsert = {
    id,
    name: input.name,
    fromName: input.fromName || null,
    locale: input.locale ?? null,
    disabled: false,
    disabledReason: null,
    tracking: input.tracking ?? "ENABLED",
    monthlySendLimit: input.monthlySendLimit ?? null,
    sendRatePerSecond: input.sendRatePerSecond ?? null,
    testClock: input.testClock ?? false,
    publicAnswers: input.publicAnswers ?? "IDS",
    company: input.company ?? null,
    postalAddress: input.postalAddress ?? null,
    publicTrackSubscribes: input.publicTrackSubscribes ?? true,
    maxStorageMb: input.maxStorageMb ?? 2_048,
    storage: null,
    storageDueAt: now + firstCountMs,
    storageProgress: null,
    shard: await emptiestShard(platform),
    addressKey: randomHex(32),
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const [secretKey, publicKey] = await Promise.all([newKey({ kind: "secret" }, now), newKey({ kind: "public" }, now)]);
  const { control } = platform;
  const batch = openBatch(platform, control);
  const own = sql`SELECT * FROM projects WHERE id = ${id}`;
  batch.recognise(sql`EXISTS (${own})`);
  recordChange(batch, platform, auditedProject(id));
  const inserted = batch.add(
    statement(control.insert(projects).values(project).returning().getSQL(), wholeRow(projects), { again: own }),
  );
  // The database assigns the number.
  const projectId = sql`(SELECT number FROM projects WHERE id = ${id})`;
  const rows = [secretKey, publicKey].map(({ row }) => ({ ...row, projectId }));
  batch.add(statement(control.insert(apiKeys).values(rows).getSQL()));
  await batch.commit();
  return { project: inserted.one, keys: { secret: secretKey.key, public: publicKey.key } };
}
