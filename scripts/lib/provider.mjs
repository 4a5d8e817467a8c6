import { locationFaults } from "./data-location.mjs";
import { replicaFaults } from "./replicas.mjs";
import { command } from "./screen.mjs";

/**
 * The settings that each provider needs to send, and those that it also takes, as in the manifests of
 * src/platform/mailer.
 */
export const PROVIDERS = {
  ses: {
    needs: ["SES_REGION", "SES_ACCESS_KEY_ID", "SES_SECRET_ACCESS_KEY"],
    takes: ["SES_CONFIGURATION_SET", "SES_TOPIC_ARN", "SES_ENDPOINT"],
  },
  resend: { needs: ["RESEND_API_KEY"], takes: ["RESEND_WEBHOOK_SECRET", "RESEND_ENDPOINT"] },
  postmark: {
    needs: ["POSTMARK_SERVER_TOKEN"],
    takes: [
      ...["POSTMARK_ACCOUNT_TOKEN", "POSTMARK_STREAM", "POSTMARK_BROADCAST_STREAM", "POSTMARK_ENDPOINT"],
      ...["POSTMARK_WEBHOOK_USER", "POSTMARK_WEBHOOK_PASSWORD"],
    ],
  },
  smtp: {
    needs: ["SMTP_HOST"],
    takes: ["SMTP_PORT", "SMTP_SECURITY", "SMTP_USER", "SMTP_PASSWORD", "SMTP_RETURN_PATH"],
  },
  // A binding that a deploy adds.
  cloudflare: { needs: ["EMAIL"], takes: [] },
};

/** The names of the providers that send mail, such as `ses, resend`. */
export const SENDERS = Object.keys(PROVIDERS).join(", ");

/** The providers that can also send from this machine. */
export const LOCAL_SENDERS = SENDERS.replace(", cloudflare", "");

/** The settings that name a second provider. */
const SECOND = ["MAIL_PROVIDER_MARKETING", "MAIL_PROVIDER_FALLBACK"];

/** Returns why `npm start` would fail with these providers; null when it would not. */
export function providerFault(settings) {
  const faults = choiceFaults(settings);
  if (faults.length > 0) return faults[0];
  for (const [setting, provider] of choicesOf(settings)) {
    if (provider === "cloudflare") {
      return `${setting} is cloudflare, which sends from a deployed Worker only. Leave it out here: the mail is then in /outbox.`;
    }
    const missing = PROVIDERS[provider].needs.filter((name) => !settings[name]);
    if (missing.length > 0) {
      return `${setting} is ${provider}, which needs ${missing.join(", ")}: set what is missing in .dev.vars or the environment.`;
    }
  }
  return null;
}

/** Returns the settings that name a provider which sends mail, each with the provider. */
function choicesOf(settings) {
  return ["MAIL_PROVIDER", ...SECOND]
    .map((setting) => [setting, settings[setting]])
    .filter(([setting, provider]) => provider && !(setting === "MAIL_PROVIDER" && provider === "outbox"));
}

/** Returns what is wrong with the names of providers. */
function choiceFaults(settings) {
  const faults = choicesOf(settings)
    .filter(([, provider]) => provider !== "outbox" && !Object.hasOwn(PROVIDERS, provider))
    .map(
      ([setting, provider]) => `${setting} is ${provider}, which Petrel does not know. It can be ${SENDERS} or outbox.`,
    );
  const { MAIL_PROVIDER: provider, MAIL_PROVIDER_FALLBACK: fallback } = settings;
  if (fallback && fallback === provider) {
    faults.push(`MAIL_PROVIDER_FALLBACK is ${fallback}, as MAIL_PROVIDER is. Name another provider, or none.`);
  }
  for (const setting of SECOND) {
    if (settings[setting] === "outbox" && provider !== "outbox")
      faults.push(`${setting} is outbox, which sends no mail.`);
  }
  return faults;
}

export const PROVIDER_SETTINGS = Object.values(PROVIDERS).flatMap(({ needs, takes }) => [...needs, ...takes]);

/**
 * Returns the configuration with the bindings that its providers need. Cloudflare Email Service needs a binding, and a
 * queue into which it puts its events.
 */
export function withProviderBindings(config) {
  if (!choicesOf(config.vars).some(([, provider]) => provider === "cloudflare")) return config;
  const bindings = config.send_email ?? [];
  const queue = `${config.name}-mail-reports`;
  const dead = `${queue}-dead`;
  const added = [
    { queue, max_batch_size: 25, max_batch_timeout: 1, max_retries: 100, dead_letter_queue: dead },
    { queue: dead, max_retries: 100 },
  ];
  const { consumers } = config.queues;
  return {
    ...config,
    send_email: isBound(config, "EMAIL") ? bindings : [...bindings, { name: "EMAIL" }],
    queues: {
      ...config.queues,
      consumers: [...consumers, ...added.filter((one) => !consumers.some((known) => known.queue === one.queue))],
    },
  };
}

/** Returns what is wrong with the settings of an installation, before any question is asked. */
export function settingObstacles({ config, notes, own, defaults }, { isSandbox }) {
  const { MAIL_PROVIDER: provider, PUBLIC_URL: publicUrl } = config.vars;
  const obstacles = [];
  // A Worker that only pretends to send mail must not reach production unnoticed.
  if (provider === "outbox" && !isSandbox) {
    obstacles.push(
      `MAIL_PROVIDER is outbox, which sends no mail. Copy petrel.example.toml to petrel.toml and name a provider there (${SENDERS}), or deploy a sandbox: ${command("npm run deploy -- --sandbox")}`,
    );
  }
  if (provider !== "outbox" && isSandbox) {
    obstacles.push(`--sandbox is for MAIL_PROVIDER = "outbox", and yours is ${provider}. Leave it out.`);
  }
  obstacles.push(...choiceFaults(config.vars));
  if (publicUrl && !/^https?:\/\/[^\s/]+\/?$/.test(publicUrl)) {
    obstacles.push(`PUBLIC_URL is ${publicUrl}. It must be an address such as https://mail.acme.com, without a path.`);
  }
  obstacles.push(...locationFaults({ config, notes }), ...replicaFaults({ config, notes }));
  for (const [name, value] of Object.entries(own.vars ?? {})) {
    if (isSecret(name)) {
      obstacles.push(`${name} stands in petrel.toml, and is a secret. Remove it there: ${putSecret(name, config)}`);
    } else if (!(name in defaults) && !PROVIDER_SETTINGS.includes(name)) {
      obstacles.push(`${name} in petrel.toml is no setting that Petrel knows. docs/settings.md has them all.`);
    } else if (typeof value !== "string") {
      obstacles.push(`${name} in petrel.toml must be a text: ${name} = "${value}"`);
    }
  }
  return obstacles;
}

/** Returns what the chosen providers lack; `secrets` are the names of the Worker's secrets. */
export function credentialObstacles({ config }, secrets) {
  const chosen = new Set(choicesOf(config.vars).map(([, provider]) => provider));
  return [...chosen].flatMap((provider) =>
    (PROVIDERS[provider]?.needs ?? [])
      .filter((name) => !config.vars[name] && !secrets.includes(name) && !isBound(config, name))
      .map((name) =>
        isSecret(name)
          ? `${provider} needs ${name}. Set it: ${putSecret(name, config)}`
          : `${provider} needs ${name}. Set it under [vars] in petrel.toml.`,
      ),
  );
}

function isBound({ send_email: bindings = [] }, name) {
  return bindings.some((binding) => binding.name === name);
}

function isSecret(name) {
  return /_(TOKEN|PASSWORD|API_KEY|SECRET_ACCESS_KEY|ACCESS_KEY_ID|SECRETS?)$/.test(name);
}

function putSecret(name, config) {
  return command(`npx wrangler secret put ${name} --name ${config.name}`);
}
