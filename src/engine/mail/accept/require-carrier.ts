import { noCarrier } from "../../../core/mail/errors";
import type { EmailType } from "../../../core/mail/status";
import type { Platform } from "../../../platform/context";
import { accountOf } from "../../../platform/mailer/accounts";

/** Whether the provider that would carry the installation's marketing mail accepts such mail. */
export function carriesMarketing({ accounts }: Pick<Platform, "accounts">): boolean {
  return accountOf(accounts, "campaign").mailer.allowsMarketing;
}

/** Throws Conflict for marketing mail that no provider would accept. Callers check this before they store anything. */
export function requireCarrier(platform: Pick<Platform, "accounts">, type: EmailType): void {
  if (type !== "MARKETING" || carriesMarketing(platform)) return;
  throw noCarrier(accountOf(platform.accounts, "campaign").mailer.name);
}
