import { z } from "zod";
import type { Notice } from "../../core/mail/notices/notice";
import type { PaceRule } from "../../core/mail/pace";
import { parseSettings, type Settings, unreadable } from "../settings";
import { cloudflare } from "./cloudflare/manifest";
import { outbox } from "./outbox/manifest";
import { postmark } from "./postmark/manifest";
import type { ConfiguredProvider } from "./provider";
import type { Reporter } from "./reporter";
import { resend } from "./resend/manifest";
import { ses } from "./ses/manifest";
import { smtp } from "./smtp/manifest";

/** All mail providers. There is no other list of them. */
export const providers = [outbox, ses, resend, postmark, smtp, cloudflare];

const accountSettings = {
  MAIL_PROVIDER: z.string().default("outbox"),
  MAIL_PROVIDER_MARKETING: z.string().default(""),
  MAIL_PROVIDER_FALLBACK: z.string().default(""),
  MAIL_RATE_PER_SECOND: z.string().default("0"),
  MAIL_TRANSACTIONAL_SHARE: z.coerce.number().min(0).max(0.9).default(0.2),
};

/** The settings of all providers, as bindings of the Worker. */
export type MailSettings = Settings<typeof accountSettings> &
  Settings<typeof ses.settings> &
  Settings<typeof resend.settings> &
  Settings<typeof postmark.settings> &
  Settings<typeof smtp.settings> & { EMAIL?: SendEmail };

export interface MailConfig {
  /** The provider of all mail that no other provider carries. */
  provider: ConfiguredProvider;
  /** The provider of campaigns and marketing mail; null when it is `provider`. */
  marketing: ConfiguredProvider | null;
  /** The provider of transactional mail while `provider` is down. */
  fallback: ConfiguredProvider | null;
  /** The providers whose reports are accepted, by name. A provider that was used earlier still reports on its mail. */
  reporters: ReadonlyMap<string, Reporter>;
  /** The pace of a provider's account; null when it has no limit. */
  rateOf(provider: string): PaceRule | null;
}

/** Reads every provider that has its credentials. A provider that a setting chooses must have them. */
export function readMailConfig(env: MailSettings): MailConfig {
  const account = parseSettings(accountSettings, env);
  const configured = providers.map((provider) => provider.configure(env)).filter((provider) => provider !== null);
  const provider = chosen("MAIL_PROVIDER", account, env);
  const rates = ratesOf(account.MAIL_RATE_PER_SECOND, provider.name);
  return {
    provider,
    marketing:
      account.MAIL_PROVIDER_MARKETING === provider.name ? null : second("MAIL_PROVIDER_MARKETING", account, env),
    fallback: second("MAIL_PROVIDER_FALLBACK", account, env),
    reporters: new Map(configured.flatMap(({ name, reporter }) => (reporter ? [[name, reporter]] : []))),
    rateOf(name) {
      const perSecond = rates.get(name) ?? 0;
      return perSecond > 0 ? { perSecond, transactionalShare: account.MAIL_TRANSACTIONAL_SHARE } : null;
    },
  };
}

/** Reads a message that a provider put into a queue. Returns null when it is not a report of any provider. */
export function readQueuedReport(event: unknown): { provider: string; notice: Notice } | null {
  for (const { name, readQueued } of providers) {
    const notice = readQueued?.(event);
    if (notice) return { provider: name, notice };
  }
  return null;
}

type Choice = "MAIL_PROVIDER" | "MAIL_PROVIDER_MARKETING" | "MAIL_PROVIDER_FALLBACK";
type Choices = Record<Choice, string>;

function chosen(setting: Choice, { [setting]: name }: Choices, env: MailSettings): ConfiguredProvider {
  const provider = providers.find((each) => each.name === name);
  if (!provider) throw unreadable(`${setting} must be one of ${providers.map((each) => each.name).join(", ")}`);
  return provider.require(env, setting);
}

/** Reads a second provider. The outbox is refused, because it sends nothing, so mail would be lost. */
function second(setting: Choice, choices: Choices, env: MailSettings): ConfiguredProvider | null {
  if (choices[setting] === "") return null;
  const provider = chosen(setting, choices, env);
  if (provider.name === choices.MAIL_PROVIDER) {
    throw unreadable(`${setting} is ${provider.name}, as MAIL_PROVIDER is: name another provider, or none`);
  }
  if (provider.name === outbox.name) throw unreadable(`${setting} is outbox, which sends no mail`);
  return provider;
}

/** Reads the rates: `14` for the provider of MAIL_PROVIDER, or `ses=14, resend=2` by provider name. */
function ratesOf(setting: string, provider: string): ReadonlyMap<string, number> {
  const items = /^[\d.]*$/.test(setting) ? [`${provider}=${setting || 0}`] : setting.split(",");
  return new Map(
    items.map((item): [string, number] => {
      const [name = "", perSecond = ""] = item.split("=").map((part) => part.trim());
      const isKnown = providers.some((each) => each.name === name);
      if (isKnown && /^\d+(\.\d+)?$/.test(perSecond)) return [name, Number(perSecond)];
      throw unreadable(
        "MAIL_RATE_PER_SECOND must be a number, or a number for each provider, such as ses=14, resend=2",
      );
    }),
  );
}
