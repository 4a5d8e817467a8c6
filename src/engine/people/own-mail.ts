import { newIdAt, publicId } from "../../core/ids";
import type { OwnMail } from "../../core/people/sign-in-mail";
import type { Platform } from "../../platform/context";

/** No project has this id, so no key, list, export or webhook shows mail of the installation itself. */
const noProject = { projectId: "00000000-0000-0000-0000-000000000000", projectNumber: 0 };

/** Whether the installation can send mail of its own. */
export function hasOwnMail({ config }: Platform): boolean {
  return config.consoleFrom !== null;
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
