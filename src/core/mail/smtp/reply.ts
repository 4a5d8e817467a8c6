/** A server's reply to one command (RFC 5321, section 4.2). */
export interface Reply {
  code: number;
  /** The text of each line. */
  lines: string[];
}

/** Reads one line of a reply; null when it is malformed. */
export function readReplyLine(line: string): { code: number; text: string; isLast: boolean } | null {
  const [, code, mark, text = ""] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? [];
  return code === undefined ? null : { code: Number(code), text, isLast: mark !== "-" };
}

/** Reads the abilities in a server's answer to EHLO: each upper-case keyword, with its parameters. */
export function readAbilities({ lines }: Reply): Map<string, string[]> {
  return new Map(
    lines.slice(1).map((line) => {
      // Some servers still use the old form AUTH=LOGIN.
      const [keyword = "", ...parameters] = line.trim().toUpperCase().split(/[ =]+/);
      return [keyword, parameters];
    }),
  );
}

/** Returns the server's queue id of the message, if its answer contains one in a common form. */
export function queueIdOf({ lines }: Reply): string | null {
  const text = lines.join(" ");
  return /\b(?:queued as|id[=: ])\s*<?([A-Za-z0-9._@-]{4,100})>?/i.exec(text)?.[1] ?? null;
}
