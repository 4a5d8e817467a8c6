const alphabet = /^[A-Za-z0-9_-]*$/;

/** Encodes bytes as base64url without padding (RFC 4648 section 5), for use in URLs. */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Null when the text is not base64url, or not in the one form that we write. */
export function fromBase64url(written: string): Uint8Array<ArrayBuffer> | null {
  if (!alphabet.test(written)) return null;
  try {
    const text = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    // The last character has unused bits, so several texts would give the same bytes.
    return toBase64url(bytes) === written ? bytes : null;
  } catch {
    return null;
  }
}
