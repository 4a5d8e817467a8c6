import { sql } from "drizzle-orm";
import { wholeRow } from "../../db/rows";
import { selectOne } from "../../db/statement";
import { projects } from "../../db/tables";
import type { Context, Project } from "../../platform/context";
import type { Manifest } from "./manifest";

/** A project restored from a backup has its own. */
const own: (keyof Project)[] = ["number", "id", "shard", "deletedAt", "createdAt", "updatedAt"];

/** Returns the settings of a project. They are of the time of the call, as the control database is another one. */
export async function settingsOf({ control, project }: Context): Promise<Manifest["project"]> {
  const row = await selectOne(
    control,
    sql`SELECT * FROM projects WHERE number = ${project.number}`,
    wholeRow(projects),
  );
  const settings = Object.entries(row).filter(([name]) => !own.some((each) => each === name));
  // The only column that is neither of these types is an id, which is a text.
  return Object.fromEntries(settings) as Manifest["project"];
}
