import { sql } from "drizzle-orm";
import { wholeRow } from "../../db/rows";
import { selectOne } from "../../db/statement";
import { projects } from "../../db/tables";
import { type Context, type Project, timeOfProject } from "../../platform/context";
import type { Manifest } from "./manifest";

/** Columns that a backup leaves out: a restored project gets values of its own. */
const own: (keyof Project)[] = [
  ...(["number", "id", "shard", "deletedAt", "createdAt", "updatedAt", "restoring", "move"] as const),
  ...(["storage", "storageDueAt", "storageProgress"] as const),
];

/**
 * Returns a project's settings at the time of this call. They cannot be captured, because they are in the control
 * database.
 */
export async function settingsOf({ control, project }: Context): Promise<Manifest["project"]> {
  const row = await selectOne(
    control,
    sql`SELECT * FROM projects WHERE number = ${project.number}`,
    wholeRow(projects),
  );
  // A clock that was never moved stands at the time when its project was created. The restored project is created
  // later, so the time itself is stored.
  const clockAt = row.testClock ? timeOfProject(row) : null;
  const settings = Object.entries({ ...row, clockAt }).filter(([name]) => !own.some((each) => each === name));
  return Object.fromEntries(settings);
}
