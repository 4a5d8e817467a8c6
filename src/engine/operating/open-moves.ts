import { sql } from "drizzle-orm";
import type { ProjectMove } from "../../core/operating/project-move";
import { asJson, asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Platform } from "../../platform/context";

const mostMoves = 20;

/** Returns projects that are being moved between databases. */
export function openMoves({ control }: Platform): Promise<{ id: string; move: ProjectMove }[]> {
  return select(
    control,
    sql`SELECT id, move FROM projects INDEXED BY ix_projects_move WHERE move IS NOT NULL AND move->>'stage' <> 'leaving'
      AND deleted_at IS NULL ORDER BY number LIMIT ${mostMoves}`,
    columns({ id: asText, move: asJson<ProjectMove>() }),
  );
}
