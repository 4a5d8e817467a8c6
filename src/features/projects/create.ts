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

/** How long after its creation a project is first counted. A new project stores next to nothing. */
const firstCountMs = 6 * hourMs;

/** A project as it was inserted, and its first keys. */
export interface NewProject {
  project: Project;
  keys: { secret: string; public: string };
}

/**
 * Creates a project with its first two keys, which are shown only once. All of it is stored in the control database;
 * only later calls write rows to the project's own database.
 */
export function createProject(platform: Platform, input: CreateProject): Promise<NewProject> {
  return insertProject(platform, { ...input, fromName: input.fromName || null });
}

/** The settings of a new project. The database has defaults for most of those that are left out. */
type NewSettings = Partial<typeof projects.$inferInsert> & { name: string };

/** Inserts a project on the emptiest database, and its first keys. */
export async function insertProject(platform: Platform, settings: NewSettings): Promise<NewProject> {
  const now = platform.now.getTime();
  const id = publicId(newId());
  const project: typeof projects.$inferInsert = {
    ...settings,
    tracking: settings.tracking ?? "ENABLED",
    addressKey: settings.addressKey ?? randomHex(32),
    ...{ id, storageDueAt: now + firstCountMs, shard: await emptiestShard(platform), createdAt: now, updatedAt: now },
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
