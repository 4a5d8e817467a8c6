import { newIdAt, publicId } from "../../core/ids";
import type { OwnMail } from "../../core/people/sign-in-mail";
import type { Platform } from "../../platform/context";

/**
 * No project has this id, so no API key shows the installation's own mail, and no list, export or webhook contains it.
 */
const noProject = { projectId: "00000000-0000-0000-0000-000000000000", projectNumber: 0 };

/** The origin of links in the installation's mail, or the setting without which the installation sends no mail. */
export type OwnLinks = { origin: string } | { missing: "PUBLIC_URL" | "CONSOLE_FROM" };

/**
 * Returns the origin of links, or the setting that is missing. `origin` is null when the only known host was named by a
 * caller that we do not trust.
 */
export function ownLinks({ config }: Platform, origin: string | null): OwnLinks {
  if (origin === null) return { missing: "PUBLIC_URL" };
  return config.consoleFrom === null ? { missing: "CONSOLE_FROM" } : { origin };
}

/** Tells the caller that links are not mailed, why not, and what to do instead. */
export function mailIsOff(setting: string) {
  const message = `This installation cannot mail links: ${setting} is not set. \`npm run console-link\` prints one.`;
  return { mail: "OFF" as const, message };
}

/**
 * Hands an email of the installation to the provider. Returns whether the provider accepted it; throws when there is no
 * answer. The mail has no row: a caller that must remember it keeps a row of its own.
 */
export async function sendOwnMail(platform: Platform, email: string, mail: OwnMail): Promise<boolean> {
  const { consoleFrom: from } = platform.config;
  if (from === null) return false;
  const emailId = publicId(newIdAt(platform.now.getTime()));
  const message = {
    ...noProject,
    ...mail,
    emailId,
    from,
    to: { email, written: email, name: null },
    type: "TRANSACTIONAL" as const,
    replyTo: null,
    headers: {},
    attachments: [],
    date: platform.now,
  };
  const [receipt] = await platform.mailer.deliver([message], emailId);
  if (receipt?.kind === "accepted") return true;
  platform.log("warn", "The provider did not accept an email of the installation", {
    reason: receipt === undefined ? "no receipt" : receipt.reason,
  });
  return false;
}
