import { encode } from "nodemailer/lib/base64";
import type { Attachment } from "../attachments";
import type { Message } from "../message";
import { fileHeaders, header, messageHeaders } from "./headers";
import { quotedPrintable } from "./quoted-printable";

/**
 * A piece of a message. ASCII is written unchanged; base64 is broken into lines of 76 characters (RFC 2045, section
 * 6.8).
 */
type Piece = string | Uint8Array | { base64: string };

/**
 * Returns the complete message as RFC 5322 source. The same message gives the same bytes on every attempt. Files are in
 * base64 already, and are copied only once, directly into place.
 */
export function toMime(message: Message): Uint8Array<ArrayBuffer> {
  const pieces = [messageHeaders(message), ...content(message)];
  const mime = new Uint8Array(pieces.reduce((sum, piece) => sum + sizeOf(piece), 0));
  let at = 0;
  for (const piece of pieces) {
    write(piece, mime.subarray(at));
    at += sizeOf(piece);
  }
  return mime;
}

/** Places inline files next to the HTML, inside the alternatives, and attachments next to the alternatives. */
function content({ emailId, html, text, attachments }: Message): Piece[] {
  const shown = attachments.filter(({ contentId }) => contentId !== null);
  const kept = attachments.filter(({ contentId }) => contentId === null);
  // No part contains a boundary: "=_" cannot occur in quoted-printable or base64, and the id cannot be guessed.
  const parts = (kind: string, number: number, children: Piece[][]) =>
    multipart(kind, `=_${emailId}_${number}`, children);
  const htmlPart = textPart("html", html);
  const related =
    shown.length === 0 ? htmlPart : parts('related; type="text/html"', 3, [htmlPart, ...shown.map(filePart)]);
  const alternative = parts("alternative", 2, [textPart("plain", text), related]);
  return kept.length === 0 ? alternative : parts("mixed", 1, [alternative, ...kept.map(filePart)]);
}

function multipart(kind: string, boundary: string, children: Piece[][]): Piece[] {
  return [
    `${header("Content-Type", `multipart/${kind}; boundary="${boundary}"`)}\r\n`,
    ...children.flatMap((child) => [`--${boundary}\r\n`, ...child, "\r\n"]),
    `--${boundary}--\r\n`,
  ];
}

function textPart(kind: "plain" | "html", written: string): Piece[] {
  const [encoding, body] = encoded(written.replace(/\r\n?|\n/g, "\r\n"));
  const type = `Content-Type: text/${kind}; charset=utf-8\r\n`;
  return [`${type}Content-Transfer-Encoding: ${encoding}\r\n\r\n`, body];
}

function filePart(file: Attachment): Piece[] {
  return [`${fileHeaders(file)}\r\n`, { base64: file.content }];
}

const utf8 = new TextEncoder();
const lineLength = 76;

/** Chooses the shortest of the encodings that pass every mail server. */
function encoded(text: string): [encoding: string, body: Piece] {
  if (/^[\t\r\n -~]*$/.test(text) && !/.{77}/.test(text)) return ["7bit", text];
  const bytes = utf8.encode(text);
  const readable = quotedPrintable(bytes);
  // Base64 has four characters for three bytes. It is used when quoted-printable would be longer.
  return readable.length * 3 > bytes.length * 4 ? ["base64", { base64: encode(text) }] : ["quoted-printable", readable];
}

function sizeOf(piece: Piece): number {
  if (typeof piece === "string" || piece instanceof Uint8Array) return piece.length;
  const { length } = piece.base64;
  return length + 2 * Math.max(0, Math.ceil(length / lineLength) - 1);
}

function write(piece: Piece, into: Uint8Array): void {
  if (typeof piece === "string") utf8.encodeInto(piece, into);
  else if (piece instanceof Uint8Array) into.set(piece);
  else writeLines(piece.base64, into);
}

function writeLines(base64: string, into: Uint8Array): void {
  let at = 0;
  for (let start = 0; start < base64.length; start += lineLength) {
    const lineBreak = start === 0 ? "" : "\r\n";
    at += utf8.encodeInto(lineBreak + base64.slice(start, start + lineLength), into.subarray(at)).written;
  }
}
