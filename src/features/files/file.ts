import { fromBase64url } from "../../core/base64url";
import { type FileAddress, filePath, fileToken } from "../../core/files/address";
import { publicId, textOf } from "../../core/ids";
import { iso } from "../../core/time";
import type { FileRow } from "../../db/tables";
import { linkBase } from "../../engine/mail/links";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";

/** Returns the key of a file in R2. It contains the secret, so a request with a wrong secret finds nothing. */
export function keyOfFile({ projectId, id, secret }: FileAddress): string {
  return `${blobKey("file", projectId, textOf(id))}/${toHex(secret)}`;
}

export function addressOf(ctx: Context, { id, secret }: Pick<FileRow, "id" | "secret">): FileAddress {
  const bytes = fromBase64url(secret);
  if (bytes === null) throw new Error(`The secret of file ${textOf(id)} cannot be read`);
  return { projectId: ctx.project.id, id, secret: bytes };
}

export function fileJson(ctx: Context, row: FileRow) {
  return {
    id: publicId(row.id),
    url: `${linkBase(ctx) ?? ""}${filePath}${fileToken(addressOf(ctx, row))}`,
    name: row.name,
    contentType: row.contentType,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    createdAt: iso(row.createdAt),
  };
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
