import { fail, ok, warn } from "../../../core/operating/health-finding";
import { reasonOf } from "../../../platform/log";
import { accountOf, allAccounts } from "../../../platform/mailer/accounts";
import type { HealthCheck } from "../look";

/** An unregistrable domain: RFC 2606 reserves the top-level domain `.invalid`. */
const unknownDomain = "health-check.invalid";

/** Checks that each provider accepts our credentials, by asking for a domain that no account has. */
export const mailProvider: HealthCheck = {
  name: "mail_provider",
  async examine({ platform: { accounts, config } }) {
    const mailers = allAccounts(accounts).map(({ mailer }) => mailer);
    if (accounts.main.mailer.name === "outbox" && !config.isDevelopment) {
      return warn("Mail goes to the outbox and reaches no recipient.", {
        mend: "Set MAIL_PROVIDER: docs/providers.md.",
      });
    }
    const faults = await Promise.all(
      mailers.map(async (mailer) => {
        if (mailer.name === "outbox") return null;
        return mailer.domainStatus(unknownDomain).then(
          () => null,
          (error: unknown) => `${mailer.name}: ${reasonOf(error)}`,
        );
      }),
    );
    const found = faults.filter((fault) => fault !== null);
    if (found.length === 0) {
      const { mailer } = accountOf(accounts, "campaign");
      const noMarketing = mailer.allowsMarketing
        ? ""
        : ` Marketing mail is refused, because ${mailer.name} does not accept it.`;
      return ok(`${mailers.map(({ name }) => name).join(" and ")} can be called.${noMarketing}`);
    }
    return fail("A mail provider does not answer, or refuses our credentials.", {
      detail: found.join("; "),
      mend: "Look at the provider's status page and at the credentials in the secrets: docs/providers.md.",
    });
  },
};

/** Checks that the providers' reports of deliveries, bounces and complaints can be verified. */
export const mailReports: HealthCheck = {
  name: "mail_reports",
  async examine({ platform: { accounts, reporterOf } }) {
    const names = allAccounts(accounts).map(({ mailer }) => mailer.name);
    const unread = names.filter((name) => name !== "outbox" && reporterOf(name) === null);
    if (unread.length === 0) return ok("Reports of deliveries, bounces and complaints are read.");
    return warn(`Reports from ${unread.join(" and ")} are not read, so bounces and complaints stay unknown.`, {
      mend: `Configure the secret that verifies them, and point the provider's webhook at /hooks/${unread[0]}: docs/providers.md.`,
    });
  },
};
