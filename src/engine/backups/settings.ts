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
 * Returns a project's settings at the time of this call. They cannot be captured, because the control database is a
 * separate one.
 */
export async function settingsOf({ control, project }: Context): Promise<Manifest["project"]> {
  const row = await selectOne(
    control,
    sql`SELECT * FROM projects WHERE number = ${project.number}`,
    wholeRow(projects),
  );
  // A clock that was never moved stands at the creation of the project, which a restored project does not share.
  const clockAt = row.testClock ? timeOfProject(row) : null;
  const settings = Object.entries({ ...row, clockAt }).filter(([name]) => !own.some((each) => each === name));
  return Object.fromEntries(settings);
}
