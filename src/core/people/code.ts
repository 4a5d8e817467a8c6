/** Letters and digits that nobody confuses, also when they are read aloud. */
const alphabet = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const length = 8;

/** Makes a code that a person types. */
export function newCode(): string {
  let code = "";
  while (code.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      // The largest multiple of the alphabet, so that each letter is as likely as the others.
      if (byte < 240 && code.length < length) code += alphabet[byte % alphabet.length];
    }
  }
  return code;
}

/** The code as it is stored: people type it with spaces, dashes and small letters. */
export function readCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

/** The code as a mail shows it. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
