import { fromBase64url, toBase64url } from "../base64url";
import { bytesOf, type Id, publicId, readId, textOf } from "../ids";

/** The path under which files are served. Anybody with the full URL may read a file. */
export const filePath = "/f/";

/** Identifies a file. The secret is known only through the file's URL. */
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

/** Returns the last part of a file's URL. This part is enough to find the bytes without reading the database. */
export function fileToken({ projectId, id, secret }: FileAddress): string {
  return toBase64url(Uint8Array.from([...bytesOf(readId(projectId)), ...bytesOf(id), ...secret]));
}

/** Reads what `fileToken` wrote; null for any other text. */
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

/** The maximum number of files that are found in one body. The search stops at this number. */
const mostNamed = 1_000;

/** Returns the ids of the project's files whose URLs occur in a body. */
export function filesNamedIn(body: string, projectId: string): string[] {
  // A fast way out: most bodies name no file.
  if (!body.includes(filePath)) return [];
  const ids = new Set<string>();
  for (const [, token = ""] of body.matchAll(named)) {
    const address = readFileToken(token);
    if (address?.projectId === projectId) ids.add(textOf(address.id));
    if (ids.size === mostNamed) break;
  }
  return [...ids];
}

const namedWithHost = new RegExp(String.raw`(https?:\/\/[A-Za-z0-9.:[\]-]{1,260})?${named.source}`, "g");

/**
 * Replaces the URLs of one project's files in a text with the URLs of the same files in another project. A URL with a
 * host gets `linkBase` as its beginning, or keeps its host when `linkBase` is null.
 */
export function moveFileUrls(
  text: string,
  from: string,
  { projectId, linkBase }: { projectId: string; linkBase: string | null },
): string {
  if (!text.includes(filePath)) return text;
  return text.replaceAll(namedWithHost, (url, host: string | undefined, token: string) => {
    const address = readFileToken(token);
    if (address?.projectId !== from) return url;
    const base = host === undefined ? "" : (linkBase ?? host);
    return `${base}${filePath}${fileToken({ ...address, projectId })}`;
  });
}
