import { newIdAt, publicId } from "../../core/ids";
import type { OwnMail } from "../../core/people/sign-in-mail";
import type { Platform } from "../../platform/context";

/** No project has this id, so no key, list, export or webhook shows mail of the installation itself. */
const noProject = { projectId: "00000000-0000-0000-0000-000000000000", projectNumber: 0 };

/** Where the links of the installation's mails lead, or the setting without which it sends none. */
export type OwnLinks = { origin: string } | { missing: "PUBLIC_URL" | "CONSOLE_FROM" };

/** `origin` is null while only a caller whom we do not trust names a host. */
export function ownLinks({ config }: Platform, origin: string | null): OwnLinks {
  if (origin === null) return { missing: "PUBLIC_URL" };
  return config.consoleFrom === null ? { missing: "CONSOLE_FROM" } : { origin };
}

/** Says that links are not mailed, why, and what helps. */
export function mailIsOff(setting: string) {
  const message = `This installation cannot mail links: ${setting} is not set. \`npm run console-link\` prints one.`;
  return { mail: "OFF" as const, message };
}

/**
 * Hands a mail of the installation to the provider. Returns whether it took it; throws when it does not answer. The mail
 * has no row: a caller that must know it sent keeps one.
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
  platform.log("warn", "The provider did not take a mail of the installation", {
    reason: receipt === undefined ? "no receipt" : receipt.reason,
  });
  return false;
}
