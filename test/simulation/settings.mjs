import { reportSecret } from "./outside/provider.mjs";

export const operatorToken = "operator-token-of-at-least-32-characters";

/** The settings of the installation in a world, beside those of wrangler.toml. */
export const settings = {
  ENVIRONMENT: "production",
  PUBLIC_URL: "https://mail.acme.test",
  MAIL_PROVIDER: "resend",
  RESEND_API_KEY: "re_key",
  RESEND_WEBHOOK_SECRET: reportSecret,
  ADMIN_TOKEN: operatorToken,
  LINK_SECRETS: "secret-that-signs-links-of-32-characters",
  WEBHOOK_SECRETS: "secret-that-seals-webhooks-of-32-characters",
};
