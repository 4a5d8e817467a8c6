import { parse, stringify } from "uuid";
import { fromBase64url, toBase64url } from "./base64url";
import { bytesOf, type Id, readId } from "./ids";
import { macOf } from "./mac";

/** The purpose of a link. A token for one purpose is not valid for another. */
const purposes = { unsubscribe: 1, subscribe: 2, manage: 3, confirm: 4 } as const;
export type TokenPurpose = keyof typeof purposes;

/** The contact to whom a link belongs, and the mail that contained it. */
export interface TokenSubject {
  /** The project's UUID. */
  projectId: string;
  contactId: Id;
  emailId: Id;
  /** The topic of the mail. The link contains it, so that the row of the mail is not needed. */
  topicId?: Id;
}

// The layout: a byte that stands for the number of ids, a purpose byte, the ids of 16 bytes each, then the HMAC-SHA256
// of everything before. Links in mail of a topic have a fourth id. No other kind of token begins with the same byte;
// tracking tokens begin with 2.
const layouts = { 1: 3, 3: 4 } as const;
const idBytes = 16;
const macBytes = 32;
const maxTokenBytes = 2 + layouts[3] * idBytes + macBytes;

/** Returns the token of a link, signed with the first of the secrets. */
export function signToken(
  secrets: readonly string[],
  purpose: TokenPurpose,
  { projectId, contactId, emailId, topicId }: TokenSubject,
): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error("There is no secret to sign links with");
  const layout = topicId === undefined ? 1 : 3;
  const signedBytes = 2 + layouts[layout] * idBytes;
  const token = new Uint8Array(signedBytes + macBytes);
  token.set([layout, purposes[purpose]]);
  token.set(parse(projectId), 2);
  token.set(bytesOf(contactId), 2 + idBytes);
  token.set(bytesOf(emailId), 2 + 2 * idBytes);
  if (topicId !== undefined) token.set(bytesOf(topicId), 2 + 3 * idBytes);
  token.set(macOf(secret, token.subarray(0, signedBytes)), signedBytes);
  return toBase64url(token);
}

/** Returns the subject of a link, if one of the secrets signed it for this purpose; otherwise null. */
export async function readToken(
  secrets: readonly string[],
  purpose: TokenPurpose,
  written: string,
): Promise<TokenSubject | null> {
  const token = tokenOf(written);
  const ids = token?.[0] === 1 || token?.[0] === 3 ? layouts[token[0]] : 0;
  const signedBytes = 2 + ids * idBytes;
  if (token === null || ids === 0 || token.length !== signedBytes + macBytes) return null;
  if (token[1] !== purposes[purpose]) return null;
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // `verify` compares in constant time.
    if (await crypto.subtle.verify("HMAC", key, token.subarray(signedBytes), token.subarray(0, signedBytes))) {
      const [projectId, contactId, emailId, topicId] = Array.from({ length: ids }, (_, index) => {
        const start = 2 + index * idBytes;
        return stringify(token.subarray(start, start + idBytes));
      });
      if (!projectId || !contactId || !emailId) return null;
      const owner = { projectId, contactId: readId(contactId), emailId: readId(emailId) };
      return topicId === undefined ? owner : { ...owner, topicId: readId(topicId) };
    }
  }
  return null;
}

const keys = new Map<string, CryptoKey>();

/** Returns the key of a secret, cached per isolate because secrets are few. */
async function keyOf(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  keys.set(secret, key);
  return key;
}

/** Returns the bytes of a token; null when the text cannot be one. */
function tokenOf(written: string): Uint8Array<ArrayBuffer> | null {
  // The longest token has 98 bytes and thus 131 characters. Much longer strings need not be decoded.
  return written.length > 2 * maxTokenBytes ? null : fromBase64url(written);
}
