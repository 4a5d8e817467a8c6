import { stringify } from "uuid";
import { fromBase64url, toBase64url } from "../base64url";
import { bytesOf, type Id, readId } from "../ids";
import { isEqual, macOf } from "../mac";

// A newsletter may have a hundred links, which are different for each recipient. A signature for each link and
// recipient would cost too much. A click's token therefore has two parts, each with its own signature: the mail, signed
// once for its pixel and all of its links, and the destination, signed once for all emails of the project. A forger who
// combines the parts of two emails gets only a redirect that the project had signed. Everything is synchronous, because
// a promise for each link would cost more than its signature.

/** The mail to which a pixel or a link belongs. */
export interface TrackedMail {
  /** The project's number, as in rows. */
  projectId: number;
  emailId: Id;
}

export interface TrackedClick extends TrackedMail {
  /**
   * The position of the link among those of its mail, from 1. In a campaign's mail, its position among the links of the
   * body before rendering; 0 when the body does not contain the link.
   */
  number: number;
  url: string;
}

/** A longer URL could be truncated in transit, so its link is not tracked. */
export const maxUrlBytes = 1_500;
/** The number of a link is stored in two bytes. */
export const maxLinks = 1_000;

/**
 * The first byte of a token. It differs from those of the tokens in `core/tokens.ts`, which are signed with the same
 * secrets.
 */
const layout = 2;
/** The purpose of a part. A part for one purpose is not valid for another. */
const purposes = { mail: 1, destination: 2 } as const;

// The mail: layout, purpose, the project's number in 6 bytes, the email's id in 16, and 15 of the 32 bytes of an
// HMAC-SHA256. The destination: the number of the link in 2 bytes, 16 of the 32 bytes of an HMAC-SHA256 over layout,
// purpose, project, number and URL, and then the URL. Each length is a multiple of 3, so that the parts can be encoded
// one by one.
const mailSignedBytes = 24;
const mailBytes = 39;
const linkSignedBytes = 10;
const linkBytes = 18;
const lettersOfMail = (mailBytes / 3) * 4;

const utf8 = new TextEncoder();

/** Signs an email. Returns the token of its pixel, which is also the first half of the token of each link. */
export function signMail(secret: string, { projectId, emailId }: TrackedMail): string {
  const part = new Uint8Array(mailBytes);
  part.set([layout, purposes.mail]);
  writeProject(part, projectId);
  part.set(bytesOf(emailId), 8);
  part.set(macOf(secret, part.subarray(0, mailSignedBytes)).subarray(0, mailBytes - mailSignedBytes), mailSignedBytes);
  return toBase64url(part);
}

/** Signs a destination. Returns the second half of a link's token, which is the same for all emails of a project. */
export function signDestination(secret: string, projectId: number, number: number, url: string): string {
  const bytes = utf8.encode(url);
  const part = new Uint8Array(linkBytes + bytes.length);
  new DataView(part.buffer).setUint16(0, number);
  part.set(macOfDestination(secret, projectId, number, bytes), 2);
  part.set(bytes, linkBytes);
  return toBase64url(part);
}

/** Returns the mail of a pixel, if one of the secrets signed it; otherwise null. */
export function readPixelToken(secrets: readonly string[], written: string): TrackedMail | null {
  const token = written.length === lettersOfMail ? fromBase64url(written) : null;
  return token && readMail(secrets, token);
}

/** Returns the mail and the destination of a link, if one of the secrets signed each; otherwise null. */
export function readClickToken(secrets: readonly string[], written: string): TrackedClick | null {
  const maxBytes = mailBytes + linkBytes + maxUrlBytes;
  const token = written.length <= (maxBytes / 3) * 4 ? fromBase64url(written) : null;
  if (token === null || token.length <= mailBytes + linkBytes) return null;
  const mail = readMail(secrets, token.subarray(0, mailBytes));
  const link = token.subarray(mailBytes);
  const number = new DataView(link.buffer, link.byteOffset).getUint16(0);
  const url = link.subarray(linkBytes);
  if (mail === null) return null;
  const mac = link.subarray(2, linkBytes);
  if (!secrets.some((secret) => isEqual(mac, macOfDestination(secret, mail.projectId, number, url)))) return null;
  return { ...mail, number, url: new TextDecoder().decode(url) };
}

function readMail(secrets: readonly string[], part: Uint8Array): TrackedMail | null {
  if (part[0] !== layout || part[1] !== purposes.mail) return null;
  const signed = part.subarray(0, mailSignedBytes);
  const mac = part.subarray(mailSignedBytes);
  if (!secrets.some((secret) => isEqual(mac, macOf(secret, signed).subarray(0, mac.length)))) return null;
  return { projectId: readProject(part), emailId: readId(stringify(part.subarray(8, mailSignedBytes))) };
}

/** Writes a project's number as six bytes, after the first two. */
function writeProject(bytes: Uint8Array, projectId: number): void {
  const view = new DataView(bytes.buffer);
  view.setUint16(2, Math.floor(projectId / 2 ** 32));
  view.setUint32(4, projectId % 2 ** 32);
}

function readProject({ buffer, byteOffset }: Uint8Array): number {
  const view = new DataView(buffer, byteOffset);
  return view.getUint16(2) * 2 ** 32 + view.getUint32(4);
}

function macOfDestination(secret: string, projectId: number, number: number, url: Uint8Array): Uint8Array {
  const signed = new Uint8Array(linkSignedBytes + url.length);
  signed.set([layout, purposes.destination]);
  writeProject(signed, projectId);
  new DataView(signed.buffer).setUint16(8, number);
  signed.set(url, linkSignedBytes);
  return macOf(secret, signed).subarray(0, linkBytes - 2);
}
