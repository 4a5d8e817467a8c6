import { z } from "zod";
import type { PaceRule } from "../../core/mail/pace";
import { parseSettings, type Settings, unreadable } from "../settings";
import { outbox } from "./outbox/manifest";
import { postmark } from "./postmark/manifest";
import type { ConfiguredProvider } from "./provider";
import type { Reporter } from "./reporter";
import { resend } from "./resend/manifest";
import { ses } from "./ses/manifest";

/** Every mail provider. No other list names them all. */
export const providers = [outbox, ses, resend, postmark];

const accountSettings = {
  MAIL_PROVIDER: z.string().default("outbox"),
  MAIL_RATE_PER_SECOND: z.coerce.number().nonnegative().default(0),
  MAIL_TRANSACTIONAL_SHARE: z.coerce.number().min(0).max(0.9).default(0.2),
};

/** The settings of all providers, as bindings of the Worker. */
export type MailSettings = Settings<typeof accountSettings> &
  Settings<typeof ses.settings> &
  Settings<typeof resend.settings> &
  Settings<typeof postmark.settings>;

export interface MailConfig {
  /** The provider of new mail. */
  provider: ConfiguredProvider;
  /** The providers that may report, by name. An earlier provider still reports on its mail. */
  reporters: ReadonlyMap<string, Reporter>;
  /** Null when the account has no pace limit. */
  pace: PaceRule | null;
}

/** Reads every provider that has its credentials. The chosen one must have them. */
export function readMailConfig(env: MailSettings): MailConfig {
  const account = parseSettings(accountSettings, env);
  const { MAIL_RATE_PER_SECOND: perSecond, MAIL_TRANSACTIONAL_SHARE: transactionalShare } = account;
  const configured = providers.map((provider) => provider.configure(env)).filter((provider) => provider !== null);
  return {
    provider: chosen(account.MAIL_PROVIDER, env),
    reporters: new Map(configured.flatMap(({ name, reporter }) => (reporter ? [[name, reporter]] : []))),
    pace: perSecond > 0 ? { perSecond, transactionalShare } : null,
  };
}

function chosen(name: string, env: MailSettings): ConfiguredProvider {
  const provider = providers.find((each) => each.name === name);
  if (!provider) throw unreadable(`MAIL_PROVIDER must be one of ${providers.map((each) => each.name).join(", ")}`);
  return provider.require(env);
}
