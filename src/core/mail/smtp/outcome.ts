import type { Receipt } from "../receipt";
import type { Reply } from "./reply";

/** The part of the conversation that a reply belongs to. */
export type Stage = "greeting" | "sign in" | "sender" | "recipient" | "data" | "end of data";

/** Refusals of MAIL and DATA that are about the account and not about the mail: it must sign in, or use TLS. */
const aboutAccount = new Set([530, 534, 535, 538]);

/**
 * The receipt for a reply that is no success. A 4xx passes: before there is a mail it is the server's trouble, afterwards
 * the mail's own. 421 always means that the server closes the connection.
 */
export function receiptOfReply({ code, lines }: Reply, stage: Stage): Receipt {
  const reason = `${code} ${lines.join(" ")}`.trim();
  const isOfServer = stage === "greeting" || stage === "sign in";
  if (code === 421) return { kind: "unavailable", reason };
  if (code < 500) return { kind: isOfServer ? "unavailable" : "busy", reason };
  if (isOfServer || aboutAccount.has(code)) return { kind: "blocked", reason };
  return { kind: "refused", reason };
}
