import type { Receipt } from "../receipt";
import type { Reply } from "./reply";

/** The part of the conversation to which a reply belongs. */
export type Stage = "greeting" | "sign in" | "sender" | "recipient" | "data" | "end of data";

/** Codes of replies to MAIL and DATA that refuse the account and not the mail: the account must sign in, or use TLS. */
const aboutAccount = new Set([530, 534, 535, 538]);

/**
 * Returns the receipt for a reply that is not a success. A 4xx is temporary: before an email has begun, it is a problem
 * of the server; afterwards, a problem of the mail. 421 always means that the server closes the connection.
 */
export function receiptOfReply({ code, lines }: Reply, stage: Stage): Receipt {
  const reason = `${code} ${lines.join(" ")}`.trim();
  const isOfServer = stage === "greeting" || stage === "sign in";
  if (code === 421) return { kind: "unavailable", reason };
  if (code < 500) return { kind: isOfServer ? "unavailable" : "busy", reason };
  if (isOfServer || aboutAccount.has(code)) return { kind: "blocked", reason };
  return { kind: "refused", reason };
}
