import { type SQL, sql } from "drizzle-orm";
import type { FilterCondition } from "../../core/audience/condition";
import { topicField } from "../../core/audience/fields";
import { referencesOf, topicsIn } from "../../core/audience/references";
import { Conflict } from "../../core/errors";
import { type Id, publicIdOrNull, readId } from "../../core/ids";
import type { TrashType } from "../../core/trash";
import { Stale } from "../../db/fresh";
import { asFlag, asId, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { isKept } from "./entry";

/** The things that a resource names, and without which it cannot be restored. */
export interface Needs {
  templates?: Id[];
  segments?: Id[];
  topics?: Id[];
  /** The topics that conditions name. */
  slugs?: string[];
}

/** Returns what a condition names. */
export function needsOf(condition: FilterCondition): Needs {
  return {
    segments: referencesOf(condition).segments.map(readId),
    slugs: [...topicsIn(condition)].map(({ slug }) => slug),
  };
}

const topicPrefix = topicField("");

/** Returns the slugs of the topics among the names of fields. */
export function slugsIn(fields: readonly string[]): string[] {
  return fields.flatMap((field) => (field.startsWith(topicPrefix) ? [field.slice(topicPrefix.length)] : []));
}

const readMissing = columns({ type: asText, name: asText, id: orNull(asId), isInTrash: asFlag });
type Missing = ReturnType<typeof readMissing>;

/**
 * Throws Conflict if something that the resource needs is gone. Returns the guard of the batch that restores the
 * resource: it throws Stale if something has been deleted since.
 */
export async function requireNeeds(ctx: Context, what: TrashType, needs: Needs): Promise<Statement[]> {
  const { templates = [], segments = [], topics = [], slugs = [] } = needs;
  if ([templates, segments, topics, slugs].every(({ length }) => length === 0)) return [];
  const missing = missingOf(ctx, { templates, segments, topics, slugs });
  const found = await select(ctx.db, missing, readMissing);
  if (found.length > 0) throw needsMore(what, found.map(missingJson));
  return [guard(sql`NOT EXISTS (${missing})`, () => new Stale())];
}

function missingOf(ctx: Context, { templates, segments, topics, slugs }: Required<Needs>): SQL {
  const gone = (type: TrashType, table: string, ids: Id[]) =>
    sql`SELECT ${type} AS type, coalesce(b.name, '') AS name, r.value AS id, b.id IS NOT NULL AS is_in_trash
      FROM json_each(${JSON.stringify(ids)}) r
      LEFT JOIN ${sql.raw(table)} t ON ${inProject(ctx, "t")} AND t.id = r.value
      LEFT JOIN (SELECT id, name FROM trash WHERE ${inProject(ctx)} AND type = ${type} AND ${isKept(ctx)}
        AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))) b ON b.id = r.value
      WHERE t.id IS NULL`;
  const topic = (column: "id" | "slug", values: readonly unknown[]) =>
    sql`SELECT 'topic', coalesce(d.name, r.value), d.id, false FROM json_each(${JSON.stringify(values)}) r
      LEFT JOIN topics d ON ${inProject(ctx, "d")} AND d.${sql.raw(column)} = r.value
      WHERE d.id IS NULL OR d.deleted_at IS NOT NULL`;
  return sql`${gone("template", "templates", templates)} UNION ALL ${gone("segment", "segments", segments)}
    UNION ALL ${topic("id", topics)} UNION ALL ${topic("slug", slugs)}`;
}

interface MissingJson {
  type: string;
  id: string | null;
  name: string | null;
  inTrash: boolean;
}

function missingJson({ type, name, id, isInTrash }: Missing): MissingJson {
  return { type, id: publicIdOrNull(id), name: name || null, inTrash: isInTrash };
}

/** Returns the error for a resource that cannot be restored, because something that it names is gone. */
export function needsMore(what: TrashType, missing: MissingJson[]): Conflict {
  const lost = missing.filter(({ inTrash }) => !inTrash);
  const [first = missing[0]] = lost;
  const named = first && `The ${first.type} ${first.name ?? first.id}`;
  return new Conflict(`This ${what} refers to something that has been deleted since. Nothing was restored.`, {
    suggestion:
      lost.length === 0
        ? "Restore everything listed in details first, with POST /trash/{type}/{id}/restore, then restore this " +
          "one again."
        : `${named} is gone for good, so this ${what} cannot be restored. Create a new one.`,
    details: { missing },
  });
}

export function tooManyToRestore(what: TrashType, most: number): Conflict {
  return new Conflict(`A project may have at most ${most} ${what}s. Nothing was restored.`, {
    suggestion: `Delete a ${what} that is not used, then restore this one again.`,
    details: { limit: most },
  });
}
