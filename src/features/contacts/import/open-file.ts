import { sql } from "drizzle-orm";
import { type Csv, openCsv } from "../../../core/contacts/csv";
import type { CsvFault } from "../../../core/contacts/csv-columns";
import type { FieldFault } from "../../../core/errors";
import { asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { type Asked, bringsMoved, readsSubscribed } from "./import-job";

/** Opens an uploaded file, or the beginning of one, with the options of its upload. */
export async function openFile(
  ctx: Context,
  bytes: Uint8Array,
  asked: Asked,
  endsFile = true,
): Promise<Csv | CsvFault> {
  const { takesAll, mapping } = asked;
  const movingIn = bringsMoved(asked) ? { now: ctx.now.getTime(), topics: await slugsOf(ctx) } : null;
  const takesSubscribed = readsSubscribed(asked);
  return openCsv(bytes, { takesSubscribed, movingIn, movesMappedOnly: !takesAll, mapping }, endsFile);
}

async function slugsOf(ctx: Context): Promise<Set<string>> {
  const live = sql`SELECT slug FROM topics WHERE ${inProject(ctx)} AND deleted_at IS NULL`;
  return new Set((await select(ctx.db, live, columns({ slug: asText }))).map(({ slug }) => slug));
}

/** Turns a fault of a file, or of the mapping of one column, into a fault of a field of the form. */
export function fileFault({ fault, mapped }: CsvFault): FieldFault {
  const field = mapped === undefined ? "file" : `mapping.${mapped}`;
  return { field, message: fault, code: "custom" };
}
