import { type SQL, sql } from "drizzle-orm";
import { searchText } from "../../core/search";
import { inProject, type Owner } from "../../db/scope";
import type { ResultType } from "./schema";

/** Describes how one type of result is found. Each query yields `id`, `name` and `hint`. */
interface Kind {
  type: ResultType;
  /** A SELECT that ends with a WHERE clause on the project. */
  all: SQL;
  /** The name of the column with the id. */
  id: SQL;
  /**
   * The condition for rows whose name matches the text, and their order; null for a type that can only be found by an
   * id.
   */
  named: { where: SQL; order: SQL } | null;
  /** Whether a name matches the text. Set for types without an index by name. A project has few rows of such a type. */
  isNamed?: (name: string) => boolean;
}

/** Returns how each type of result is found by the searched text. */
export function kindsFor(ctx: Owner, text: string): Kind[] {
  const wanted = searchText(text);
  const few = { where: sql`true`, order: sql`id DESC` };
  const byStart = (column: SQL) => ({
    where: sql`${column} >= ${wanted} AND ${column} < ${wanted} || char(0x10ffff)`,
    order: column,
  });
  const startsWith = (name: string) => searchText(name).startsWith(wanted);
  return [
    {
      type: "contact",
      all: sql`SELECT id, email AS name, iif(subscribed, 'Subscribed', iif(snoozed_until IS NULL, 'Unsubscribed', 'Snoozed')) AS hint
        FROM contacts WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: { where: sql`email = ${wanted}`, order: sql`id` },
    },
    {
      type: "email",
      all: sql`SELECT e.id, coalesce(e.subject, c.subject, '') AS name, e.status || ', to ' || e.to_email AS hint
        FROM emails e LEFT JOIN email_contents c ON c.project_id = e.project_id AND c.id = e.content_id
        WHERE ${inProject(ctx, "e")}`,
      id: sql`e.id`,
      named: null,
    },
    {
      type: "template",
      all: sql`SELECT t.id, t.name, v.subject AS hint FROM templates t
        JOIN template_versions v ON v.project_id = t.project_id AND v.id = t.version_id WHERE ${inProject(ctx, "t")}`,
      id: sql`t.id`,
      named: byStart(sql`t.search_text`),
    },
    {
      type: "campaign",
      all: sql`SELECT id, name, status AS hint FROM campaigns WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: byStart(sql`search_text`),
    },
    {
      type: "segment",
      all: sql`SELECT id, name, type AS hint FROM segments WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: few,
      isNamed: startsWith,
    },
    {
      type: "workflow",
      all: sql`SELECT id, name, iif(enabled, 'Enabled', 'Disabled') AS hint FROM workflows WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: byStart(sql`search_text`),
    },
    {
      type: "topic",
      all: sql`SELECT id, name, slug AS hint FROM topics WHERE ${inProject(ctx)} AND deleted_at IS NULL`,
      id: sql`id`,
      named: few,
      isNamed: startsWith,
    },
    {
      type: "domain",
      all: sql`SELECT id, domain AS name, status AS hint FROM domains WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: byStart(sql`domain`),
    },
    {
      type: "webhook",
      all: sql`SELECT id, url AS name, iif(disabled_at IS NULL, coalesce(description, 'Enabled'), 'Disabled') AS hint
        FROM webhooks WHERE ${inProject(ctx)}`,
      id: sql`id`,
      named: few,
      // People rarely type the scheme of a URL.
      isNamed: (url) => startsWith(url) || startsWith(url.replace(/^https?:\/\//, "")),
    },
  ];
}
