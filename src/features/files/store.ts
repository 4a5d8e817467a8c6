import { sql } from "drizzle-orm";
import { toBase64url } from "../../core/base64url";
import { Invalid, Refusal, TooLarge } from "../../core/errors";
import { newFileSecret } from "../../core/files/address";
import { readImage } from "../../core/files/image";
import { newIdAt } from "../../core/ids";
import { isStorable } from "../../core/storable";
import { openBatch } from "../../db/batch";
import { isInserted, rowById } from "../../db/own-rows";
import { wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type FileRow, files } from "../../db/tables";
import { forgetFiles } from "../../engine/mail/body";
import type { Context } from "../../platform/context";
import { addressOf, keyOfFile } from "./file";

export const maxFileBytes = 5 * 1024 * 1024;

/**
 * The maximum total size of a project's files, in bytes, and the maximum number of files. The second limit exists
 * because each upload adds up the bytes in the rows of all files.
 */
const maxBytesTogether = 1024 ** 3;
const maxFiles = 10_000;

/** A longer name is cut to this many characters. */
const maxNameLength = 255;

/**
 * `POST /files`: stores an image. The bytes are stored first, so that each row has its bytes. If the process dies
 * before it writes the row, the sweep for orphans removes the bytes.
 */
export async function storeFile(ctx: Context, file: File): Promise<FileRow> {
  if (file.size > maxFileBytes) throw new TooLarge(maxFileBytes);
  const content = new Uint8Array(await file.arrayBuffer());
  const image = readImage(content);
  if (image === null) throw noImage();
  const now = ctx.now.getTime();
  const row: FileRow = {
    projectId: ctx.project.number,
    id: newIdAt(now),
    secret: toBase64url(newFileSecret()),
    name: nameOf(file),
    contentType: image.type,
    width: image.width,
    height: image.height,
    bytes: content.byteLength,
    createdAt: now,
  };
  const key = keyOfFile(addressOf(ctx, row));
  await ctx.blobs.put(key, content);
  try {
    return await insertFile(ctx, row);
  } catch (error) {
    if (error instanceof Refusal) forgetFiles(ctx, [key]);
    throw error;
  }
}

async function insertFile(ctx: Context, row: FileRow): Promise<FileRow> {
  const isWithin = sql`(SELECT count(*) < ${maxFiles} AND coalesce(sum(bytes), 0) + ${row.bytes} <= ${maxBytesTogether}
    FROM files WHERE ${inProject(ctx)})`;
  const batch = openBatch(ctx);
  batch.recognise(isInserted("files", ctx, row.id));
  batch.guard(isWithin, tooManyFiles);
  const inserted = batch.add(
    statement(
      sql`INSERT INTO files (project_id, id, secret, name, content_type, width, height, bytes, created_at)
        VALUES (${row.projectId}, ${row.id}, ${row.secret}, ${row.name}, ${row.contentType}, ${row.width},
          ${row.height}, ${row.bytes}, ${row.createdAt})
        RETURNING *`,
      wholeRow(files),
      { again: rowById("files", ctx, row.id) },
    ),
  );
  await batch.commit();
  return inserted.one;
}

function nameOf({ name }: File): string | null {
  return name !== "" && isStorable(name) ? name.slice(0, maxNameLength).toWellFormed() : null;
}

function noImage(): Invalid {
  const message =
    "Must be a PNG, JPEG, GIF or WebP image: its first bytes match none of them, or its header is broken. SVG is not accepted, because mail programs do not display it";
  return new Invalid([{ field: "file", code: "custom", message }]);
}

export function tooManyFiles(): Invalid {
  const message = `The files of a project may total 1 GB and number ${maxFiles}. Delete unused ones (GET /files lists them)`;
  return new Invalid([{ field: "file", code: "too_big", message }]);
}
