/** Letters and digits that are not easily confused, whether read or spoken. */
const alphabet = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const length = 8;

/** Makes a random code that is short enough to type. */
export function newCode(): string {
  let code = "";
  while (code.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      // 240 is a multiple of the alphabet's length, so each letter is equally likely.
      if (byte < 240 && code.length < length) code += alphabet[byte % alphabet.length];
    }
  }
  return code;
}

/** Normalizes a typed code to the stored form: people add spaces and dashes, and use lower case. */
export function readCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

/** Formats a code for an email. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
