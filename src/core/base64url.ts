const alphabet = /^[A-Za-z0-9_-]*$/;

/** Bytes as base64url without padding (RFC 4648 section 5): they travel in URLs as they are. */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Null for what is not base64url, or not written in the one way we write it. */
export function fromBase64url(written: string): Uint8Array<ArrayBuffer> | null {
  if (!alphabet.test(written)) return null;
  try {
    const text = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    // The last character has bits to spare, by which the same bytes could be written in several ways.
    return toBase64url(bytes) === written ? bytes : null;
  } catch {
    return null;
  }
}
