import { parse, stringify } from "uuid";
import { fromBase64url, toBase64url } from "../base64url";
import { type Id, textOf } from "../ids";
import { isEqual, macOf } from "../mac";

/** A part of an upload. */
export interface Part {
  uploadId: Id;
  number: number;
}

// A signature is the id of the project, in 16 bytes, and an HMAC-SHA256. The HMAC covers a byte with which no other
// kind of token begins (see tokens.ts), the id of the project, and the part. The URL names the part.
const layout = 4;
const idBytes = 16;
const macBytes = 32;

/** Returns the signature in the URL of a part, made with a secret. `projectId` is the project's UUID. */
export function signPart(secret: string, projectId: string, part: Part): string {
  const signature = new Uint8Array(idBytes + macBytes);
  signature.set(parse(projectId));
  signature.set(macOf(secret, signedBytes(signature.subarray(0, idBytes), part)), idBytes);
  return toBase64url(signature);
}

/** Returns the UUID of the project to which a part belongs, if one of the secrets made the signature; otherwise null. */
export function readPartSignature(secrets: readonly string[], part: Part, signature: string): string | null {
  const bytes = fromBase64url(signature);
  if (bytes?.length !== idBytes + macBytes) return null;
  const [project, mac] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)];
  const signed = signedBytes(project, part);
  return secrets.some((secret) => isEqual(mac, macOf(secret, signed))) ? stringify(project) : null;
}

function signedBytes(project: Uint8Array, { uploadId, number }: Part): Uint8Array {
  return Uint8Array.from([layout, ...project, ...new TextEncoder().encode(`${textOf(uploadId)} ${number}`)]);
}
