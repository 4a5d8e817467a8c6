import { someOf } from "../../../core/operating/counted";
import { fail, ok, warn } from "../../../core/operating/health-finding";
import type { HealthCheck } from "../look";

/** Checks that the secrets for signing and encrypting are set and long enough. */
export const secrets: HealthCheck = {
  name: "secrets",
  async examine({ platform: { config } }) {
    const missing = [
      config.linkSecrets.length === 0 && "LINK_SECRETS, so no mail has links to unsubscribe, opens and clicks",
      config.webhookSecrets.length === 0 && "WEBHOOK_SECRETS, so there are no webhooks",
      config.adminTokens.length === 0 && "ADMIN_TOKEN, so only people and monitor keys reach /admin",
    ].filter((text) => text !== false);
    const mend = "`npx wrangler secret put NAME`, with 32 characters or more: `openssl rand -hex 32` generates one.";
    if (missing.length > 0) {
      return fail("Secrets are missing or shorter than 32 characters.", { detail: missing.join("; "), mend });
    }
    if (config.shortSecrets.length > 0) {
      const detail = `A secret in ${someOf(config.shortSecrets)} is not used.`;
      return warn("A secret is shorter than 32 characters.", { detail, mend });
    }
    return ok("Each secret is set, and long enough.");
  },
};

/** Checks that PUBLIC_URL leads to this installation. Mailboxes need that for one-click unsubscribing (RFC 8058). */
export const publicUrl: HealthCheck = {
  name: "public_url",
  async examine({ platform: { config, random }, now }) {
    const { baseUrl } = config;
    if (baseUrl === null) {
      const detail = "Links in mail name the host of the call that sent it.";
      if (config.isDevelopment) return ok("PUBLIC_URL is not set, as is usual for development.", detail);
      const mend = "Set PUBLIC_URL to the address at which recipients reach this installation.";
      return warn("PUBLIC_URL is not set.", { detail, mend });
    }
    const id = `health-${now}-${Math.floor(random() * 1e9)}`;
    const answer = await fetch(`${baseUrl}/unsubscribe/health`, {
      method: "POST",
      headers: { "X-Request-ID": id, "Content-Type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
      redirect: "manual",
    }).catch((error: unknown) => String(error));
    const isOurs = typeof answer !== "string" && answer.headers.get("X-Request-ID") === id && answer.status < 500;
    if (typeof answer !== "string") await answer.body?.cancel();
    if (isOurs) return ok("A one-click unsubscribe by POST to PUBLIC_URL arrives here.", baseUrl);
    return fail("A one-click unsubscribe by POST to PUBLIC_URL does not arrive here.", {
      detail: typeof answer === "string" ? answer : `${baseUrl} answers ${answer.status}, and not as this installation`,
      mend: "Correct PUBLIC_URL, or the route or firewall before it: POST /unsubscribe/* must reach the Worker.",
    });
  },
};
