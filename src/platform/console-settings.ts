import { type Address, normalizeEmail, wireAddress } from "../core/mail/address";
import { unreadable } from "./settings";

/**
 * Reads the sender of the installation's own mail. A developer needs none, because the outbox, which stores mail
 * instead of sending it, accepts any sender.
 */
export function consoleFromOf(given: string, provider: string): Address | null {
  if (given === "") return provider === "outbox" ? { email: ownSender, written: ownSender, name: "Petrel" } : null;
  const [, name = "", written = given] = /^(.*?)\s*<([^<>]+)>$/.exec(given.trim()) ?? [];
  const email = normalizeEmail(written);
  if (email === null) throw unreadable("CONSOLE_FROM: Must be an address, or Name <address>");
  return { email, written: wireAddress(written, email), name: name || null };
}

const ownSender = "console@petrel.test";

/** A team at Cloudflare Access, and the team's application that guards the console. */
export interface Access {
  /** The origin of the team, which issues its assertions. */
  team: string;
  audience: string;
}

/** Reads the settings of Cloudflare Access. Returns null when there are none. */
export function accessOf(team: string, audience: string): Access | null {
  if (team === "" && audience === "") return null;
  if (team === "" || audience === "") throw unreadable("ACCESS_TEAM, ACCESS_AUDIENCE: Must both be set, or neither");
  return { team: `https://${team}.cloudflareaccess.com`, audience };
}
