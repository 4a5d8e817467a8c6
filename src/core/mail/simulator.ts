import { domainOf } from "./address";
import type { Report } from "./status";

/** Addresses at this domain and its subdomains belong to nobody. */
export const simulatorDomain = "simulator.test";

/** The provider's behaviour for one email. */
export type Behaviour =
  | { kind: "accept"; reports: Report[] }
  | { kind: "busy" }
  | { kind: "refuse" }
  | { kind: "time out" };

const behaviours = new Map<string, Behaviour>([
  ["bounce", { kind: "accept", reports: [bounced("hard", "550 5.1.1 No such mailbox (simulated)")] }],
  ["softbounce", { kind: "accept", reports: [bounced("soft", "452 4.2.2 Mailbox full (simulated)")] }],
  ["complaint", { kind: "accept", reports: [{ kind: "delivered" }, { kind: "complained" }] }],
  ["throttle", { kind: "busy" }],
  ["reject", { kind: "refuse" }],
  ["timeout", { kind: "time out" }],
]);

/**
 * Returns the behaviour of the embedded provider for an address. At `simulator.test` and its subdomains, the local part
 * chooses the behaviour (`bounce@`, `bounce+any-tag@`); all other mail is delivered.
 */
export function behaviourTowards(email: string): Behaviour {
  const domain = domainOf(email);
  const isSimulator = domain === simulatorDomain || domain.endsWith(`.${simulatorDomain}`);
  const mailbox = email.slice(0, email.lastIndexOf("@")).split("+", 1)[0] ?? "";
  const chosen = isSimulator ? behaviours.get(mailbox) : undefined;
  return chosen ?? { kind: "accept", reports: [{ kind: "delivered" }] };
}

function bounced(bounceType: "hard" | "soft", reason: string): Report {
  return { kind: "bounced", bounceType, reason };
}
