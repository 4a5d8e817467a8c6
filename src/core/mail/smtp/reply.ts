/** A server's reply to one command (RFC 5321, section 4.2). */
export interface Reply {
  code: number;
  /** The text of each line. */
  lines: string[];
}

/** One line of a reply; null for what is none. */
export function readReplyLine(line: string): { code: number; text: string; isLast: boolean } | null {
  const [, code, mark, text = ""] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? [];
  return code === undefined ? null : { code: Number(code), text, isLast: mark !== "-" };
}

/** Reads the abilities in a server's answer to EHLO: each keyword in capitals, with its parameters. */
export function readAbilities({ lines }: Reply): Map<string, string[]> {
  return new Map(
    lines.slice(1).map((line) => {
      // Some servers still write AUTH=LOGIN.
      const [keyword = "", ...parameters] = line.trim().toUpperCase().split(/[ =]+/);
      return [keyword, parameters];
    }),
  );
}

/** The name under which the server keeps the message, if its answer says one in a common form. */
export function queueIdOf({ lines }: Reply): string | null {
  const text = lines.join(" ");
  return /\b(?:queued as|id[=: ])\s*<?([A-Za-z0-9._@-]{4,100})>?/i.exec(text)?.[1] ?? null;
}
