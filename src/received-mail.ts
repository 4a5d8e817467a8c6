import { receivedMail } from "./core/mail/notices/received";
import { takeMail } from "./features/hooks/take-mail";
import type { Env } from "./platform/env";
import { reasonOf } from "./platform/log";
import { openPlatform } from "./platform/open-platform";

/**
 * Front door 5: mail that a Cloudflare routing rule brings to the Worker. The mail is recorded like mail that a
 * provider received. It is then forwarded to the address in RECEIVED_MAIL_TO, even if it could not be recorded. Without
 * that setting the mail itself is lost, because Petrel does not store its content.
 */
export async function receive(message: ForwardableEmailMessage, env: Env, execution: ExecutionContext): Promise<void> {
  const platform = openPlatform(env, execution);
  const header = (name: string) => message.headers.get(name);
  const mail = receivedMail({
    id: header("Message-ID"),
    // A bounce has an empty envelope sender. It is not an answer from a person, so its From header is ignored.
    from: message.from === "" ? null : (header("From") ?? message.from),
    delivered: [message.to],
    headers: [{ name: "Auto-Submitted", value: header("Auto-Submitted") ?? "no" }],
  });
  const { receivedMailTo } = platform.config;
  try {
    if (mail) await takeMail(platform, "cloudflare", mail);
  } catch (error) {
    // An error makes the sender's server try again. An email that is forwarded has arrived, so the failure is only
    // logged.
    if (receivedMailTo === null) throw error;
    platform.log("error", "A received mail could not be recorded", { reason: reasonOf(error) });
  }
  if (receivedMailTo !== null) await message.forward(receivedMailTo);
}
