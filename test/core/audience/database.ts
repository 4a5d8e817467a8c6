import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { compile, type Resolver } from "../../../src/core/audience/compile";
import type { FilterCondition, SegmentSource } from "../../../src/core/audience/condition";
import { newIdAt, readId, textOf } from "../../../src/core/ids";
import type { JsonObject } from "../../../src/core/json";
import { contactResolver } from "../../../src/db/audience";
import { dialect } from "../../../src/db/client";

const migrations = fileURLToPath(new URL("../../../migrations/", import.meta.url).href);
const project = 1;

export interface StoredContact {
  email?: string;
  subscribed?: boolean;
  data?: JsonObject;
  createdAt?: number;
  updatedAt?: number;
}

/** A database as the migrations make it, in memory. A contact's name is its id; a segment has the id that callers know. */
export class Contacts {
  private readonly db = new DatabaseSync(":memory:");

  constructor() {
    for (const file of readdirSync(migrations).sort()) {
      if (file.endsWith(".sql")) this.db.exec(readFileSync(`${migrations}${file}`, "utf8"));
    }
  }

  add(name: string, contact: StoredContact = {}, projectId = project): void {
    const { email = `${name}@example.com`, subscribed = true, data = {}, createdAt = 0, updatedAt = 0 } = contact;
    this.db
      .prepare(`INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`)
      .run(projectId, name, email, subscribed ? 1 : 0, JSON.stringify(data), createdAt, updatedAt);
  }

  addEvent(contact: string, name: string, at: number, projectId = project): void {
    this.db
      .prepare("INSERT INTO events (project_id, id, name, contact_id, data) VALUES (?, ?, ?, ?, '{}')")
      .run(projectId, textOf(newIdAt(at)), name, contact);
  }

  addMember(segment: string, contact: string, projectId = project): void {
    this.db
      .prepare("INSERT INTO segment_members (project_id, segment_id, contact_id, created_at) VALUES (?, ?, ?, 0)")
      .run(projectId, textOf(readId(segment)), contact);
  }

  addTopic(slug: string, defaultSubscribed: boolean, { isDeleted = false, projectId = project } = {}): void {
    this.db
      .prepare(`INSERT INTO topics (project_id, id, name, slug, default_subscribed, deleted_at, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, 0, 0)`)
      .run(projectId, `topic ${slug}`, slug, slug, defaultSubscribed ? 1 : 0, isDeleted ? 1 : null);
  }

  choose(slug: string, contact: string, isIn: boolean, projectId = project): void {
    this.db
      .prepare("INSERT INTO contact_topics (project_id, contact_id, topic_id, is_in, at) VALUES (?, ?, ?, ?, 0)")
      .run(projectId, contact, `topic ${slug}`, isIn ? 1 : 0);
  }

  /** Topics stay. */
  clear(): void {
    this.db.exec("DELETE FROM contacts; DELETE FROM events; DELETE FROM segment_members; DELETE FROM contact_topics");
  }

  /** The names of the contacts that match, in the order in which they were added. */
  matching(condition: FilterCondition, { now = new Date(0), segments = {}, resolver }: Asking = {}): string[] {
    const { values, matches } = compile(condition, resolver ?? contactResolver(new Map(Object.entries(segments))), now);
    const { sql: text, params } = dialect.sqlToQuery(
      sql`WITH ${values} SELECT c.id AS name, ${matches} AS hit FROM contacts c WHERE c.project_id = ${project}
        ORDER BY c.rowid`,
    );
    const rows = this.db.prepare(text).all(...(params as string[]));
    return rows.flatMap(({ name, hit }) => {
      if (hit !== 0 && hit !== 1) throw new Error(`A condition came out as ${hit}`);
      return hit === 1 ? [String(name)] : [];
    });
  }
}

interface Asking {
  now?: Date;
  segments?: Record<string, SegmentSource>;
  resolver?: Resolver;
}
