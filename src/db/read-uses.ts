import { type SQL, sql } from "drizzle-orm";
import { publicId } from "../core/ids";
import { type BatchContext, openBatch } from "./batch";
import type { Db } from "./client";
import { asId, asText, columns, type RowReader } from "./rows";
import { statement } from "./statement";

/** A resource that uses another one. The refusal to delete the used resource lists it. */
export interface Use {
  id: string;
  name: string;
}

const readIdAndName = columns({ id: asId, name: asText });
const readUse: RowReader<Use> = (raw) => {
  const { id, name } = readIdAndName(raw);
  return { id: publicId(id), name };
};

/** The maximum number of uses of each kind that a refusal lists. */
const maxListed = 1_000;

/** Reads the uses of a resource, by kind, in one round trip. Each query selects `id` and `name`. */
export async function readUses<Kind extends string>(
  ctx: BatchContext & { db: Db },
  uses: Record<Kind, SQL>,
): Promise<Record<Kind, Use[]>> {
  const batch = openBatch(ctx);
  const listed = Object.entries<SQL>(uses).map(([kind, rows]) => {
    return [kind, batch.add(statement(sql`SELECT * FROM (${rows}) LIMIT ${maxListed}`, readUse))] as const;
  });
  await batch.commit();
  // The cast is safe: the kinds are those of `uses`.
  return Object.fromEntries(listed.map(([kind, rows]) => [kind, rows.all])) as Record<Kind, Use[]>;
}
