/**
 * A token or sealed text with one of its characters changed, always to another one. The third from the end: the very last one may
 * carry bits that base64 ignores (RFC 4648, section 3.5).
 */
export const forged = (text: string): string =>
  `${text.slice(0, -3)}${text.at(-3) === "A" ? "B" : "A"}${text.slice(-2)}`;
