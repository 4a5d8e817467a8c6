import { fromBase64url, toBase64url } from "../base64url";
import { bytesOf, type Id, publicId, readId, textOf } from "../ids";

/** The path of files that everybody may read. */
export const filePath = "/f/";

/** Whose file it is. Only its address knows the secret. */
export interface FileAddress {
  projectId: string;
  id: Id;
  secret: Uint8Array;
}

const idBytes = 16;
const secretBytes = 16;

export function newFileSecret(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(secretBytes));
}

/** The last part of a file's URL. It leads to the file without a look into the database. */
export function fileToken({ projectId, id, secret }: FileAddress): string {
  return toBase64url(Uint8Array.from([...bytesOf(readId(projectId)), ...bytesOf(id), ...secret]));
}

/** Null when this is no token of ours. */
export function readFileToken(token: string): FileAddress | null {
  const bytes = fromBase64url(token);
  if (bytes?.length !== 2 * idBytes + secretBytes) return null;
  const idAt = (at: number) => readId(uuidOf(bytes.subarray(at, at + idBytes)));
  return { projectId: publicId(idAt(0)), id: idAt(idBytes), secret: bytes.subarray(2 * idBytes) };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const named = /\/f\/([A-Za-z0-9_-]{64})(?![A-Za-z0-9_-])/g;

/** No mail has more images. */
const mostNamed = 1_000;

/** The project's files whose URLs a body contains. */
export function filesNamedIn(body: string, projectId: string): string[] {
  // Every mail with a body of its own comes here, and most have none of these.
  if (!body.includes(filePath)) return [];
  const ids = new Set<string>();
  for (const [, token = ""] of body.matchAll(named)) {
    const address = readFileToken(token);
    if (address?.projectId === projectId) ids.add(textOf(address.id));
    if (ids.size === mostNamed) break;
  }
  return [...ids];
}
