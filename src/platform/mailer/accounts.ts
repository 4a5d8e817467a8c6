import type { Lane } from "../../core/mail/message";
import type { PaceRule } from "../../core/mail/pace";
import type { Mailer } from "./mailer";
import type { Pace } from "./pace";

/** An account at a provider: what hands mail over to it, and what says when. */
export interface MailAccount {
  mailer: Mailer;
  pace: Pace;
  /** The calls that it allows; null without a limit. */
  rate: PaceRule | null;
}

/** The accounts of the installation, each at a provider of its own. */
export interface MailAccounts {
  /** MAIL_PROVIDER. It carries what no other does. */
  main: MailAccount;
  /** MAIL_PROVIDER_MARKETING, which carries the lane of campaigns: they, and marketing mail. Null if `main` does. */
  marketing: MailAccount | null;
  /** MAIL_PROVIDER_FALLBACK, which carries fresh transactional mail while `main` is down. It may be `marketing` too. */
  fallback: MailAccount | null;
}

/** The account that carries a lane. */
export function accountOf({ main, marketing }: MailAccounts, lane: Lane): MailAccount {
  return lane === "campaign" ? (marketing ?? main) : main;
}

/** Every account once. */
export function allAccounts({ main, marketing, fallback }: MailAccounts): MailAccount[] {
  const byName = new Map([fallback, marketing, main].flatMap((each) => (each ? [[each.mailer.name, each]] : [])));
  return [...byName.values()].reverse();
}

export function accountNamed(accounts: MailAccounts, name: string): MailAccount | null {
  return allAccounts(accounts).find(({ mailer }) => mailer.name === name) ?? null;
}

/**
 * The other provider that may have been called for a transactional mail: the fallback of `main`, and the reverse. A mail whose
 * outcome is unknown there is left to it, because only it would recognise the mail. Null if there is none.
 */
export function otherOf({ main, fallback }: MailAccounts, { name }: Pick<Mailer, "name">): string | null {
  if (fallback === null) return null;
  if (name === main.mailer.name) return fallback.mailer.name;
  return name === fallback.mailer.name ? main.mailer.name : null;
}

/** Whether mail of a lane goes through an account only while its own is down. */
export function isStandIn({ fallback }: MailAccounts, { name }: Pick<Mailer, "name">, lane: Lane): boolean {
  return lane === "transactional" && fallback?.mailer.name === name;
}

/** The same platform or context, for work that goes through an account. */
export function through<On extends { mailer: Mailer; pace: Pace }>(on: On, { mailer, pace }: MailAccount): On {
  return { ...on, mailer, pace };
}
