import type { Lane } from "../../core/mail/message";
import type { PaceRule } from "../../core/mail/pace";
import type { Mailer } from "./mailer";
import type { Pace } from "./pace";

/** An account at a provider: the mailer that hands mail over, and the pace that decides when. */
export interface MailAccount {
  mailer: Mailer;
  pace: Pace;
  /** The rate of calls that the account allows; null without a limit. */
  rate: PaceRule | null;
}

/** The accounts of the installation, each at a different provider. */
export interface MailAccounts {
  /** MAIL_PROVIDER: carries all mail that no other account carries. */
  main: MailAccount;
  /**
   * MAIL_PROVIDER_MARKETING: carries the campaign lane, which is campaigns and marketing mail. Null when `main` carries
   * it.
   */
  marketing: MailAccount | null;
  /**
   * MAIL_PROVIDER_FALLBACK: carries fresh transactional mail while `main` is down. It may be the same account as
   * `marketing`.
   */
  fallback: MailAccount | null;
}

/** Returns the account that carries a lane. */
export function accountOf({ main, marketing }: MailAccounts, lane: Lane): MailAccount {
  return lane === "campaign" ? (marketing ?? main) : main;
}

/** Returns every account once. */
export function allAccounts({ main, marketing, fallback }: MailAccounts): MailAccount[] {
  const byName = new Map([fallback, marketing, main].flatMap((each) => (each ? [[each.mailer.name, each]] : [])));
  return [...byName.values()].reverse();
}

export function accountNamed(accounts: MailAccounts, name: string): MailAccount | null {
  return allAccounts(accounts).find(({ mailer }) => mailer.name === name) ?? null;
}

/**
 * Returns the other provider that may have been called for a transactional mail: the fallback for `main`, and `main`
 * for the fallback. An email whose outcome at the other provider is unknown must be retried there, because only that
 * provider would recognise it. Returns null when there is no other provider.
 */
export function otherOf({ main, fallback }: MailAccounts, { name }: Pick<Mailer, "name">): string | null {
  if (fallback === null) return null;
  if (name === main.mailer.name) return fallback.mailer.name;
  return name === fallback.mailer.name ? main.mailer.name : null;
}

/** Whether an account carries mail of a lane only while the lane's own account is down. */
export function isStandIn({ fallback }: MailAccounts, { name }: Pick<Mailer, "name">, lane: Lane): boolean {
  return lane === "transactional" && fallback?.mailer.name === name;
}

/** Returns the same platform or context for work that goes through this account. */
export function through<On extends { mailer: Mailer; pace: Pace }>(on: On, { mailer, pace }: MailAccount): On {
  return { ...on, mailer, pace };
}
