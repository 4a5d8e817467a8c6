import { z } from "zod";
import { isResolverUrl } from "../core/dns";
import { hourMs } from "../core/time";
import type { Databases } from "../db/client";
import { log } from "./log";
import type { PaceObject } from "./mailer/pace-object";
import { type MailProvider, type MailSettings, mailOf, mailSettings } from "./mailer/settings";
import type { ProjectGateObject } from "./project-gate-object";
import { type RateLimits, rateLimitSettings, rateLimitsOf } from "./rate-limits";

/** The bindings and settings of wrangler.toml, and the secrets. */
export interface Env extends Databases {
  BLOBS: R2Bucket;
  ASSETS: Fetcher;
  PACE: DurableObjectNamespace<PaceObject>;
  GATE: DurableObjectNamespace<ProjectGateObject>;
  FLOOD_BRAKE: RateLimit;
  MAIL_QUEUE: Queue;
  CAMPAIGN_MAIL_QUEUE: Queue;
  EVENTS_QUEUE: Queue;
  OUTBOUND_QUEUE: Queue;
  JOBS_QUEUE: Queue;
  ENVIRONMENT?: string;
  MAIL_PROVIDER?: string;
  MAIL_RATE_PER_SECOND?: string;
  MAIL_TRANSACTIONAL_SHARE?: string;
  SES_REGION?: string;
  SES_ACCESS_KEY_ID?: string;
  SES_SECRET_ACCESS_KEY?: string;
  SES_CONFIGURATION_SET?: string;
  SES_TOPIC_ARN?: string;
  SES_ENDPOINT?: string;
  RESEND_API_KEY?: string;
  RESEND_WEBHOOK_SECRET?: string;
  RESEND_ENDPOINT?: string;
  POSTMARK_SERVER_TOKEN?: string;
  POSTMARK_ACCOUNT_TOKEN?: string;
  POSTMARK_STREAM?: string;
  POSTMARK_BROADCAST_STREAM?: string;
  POSTMARK_WEBHOOK_USER?: string;
  POSTMARK_WEBHOOK_PASSWORD?: string;
  POSTMARK_ENDPOINT?: string;
  SANDBOX?: string;
  MAX_ATTACHMENT_SIZE_MB?: string;
  MAX_ATTACHMENTS_COUNT?: string;
  DNS_RESOLVER_URL?: string;
  DNS_FALLBACK_URL?: string;
  ADMIN_TOKEN?: string;
  LINK_SECRETS?: string;
  PUBLIC_URL?: string;
  IDEMPOTENCY_KEY_TTL_HOURS?: string;
  FLOOD_BRAKE_ENABLED?: string;
  RATE_LIMIT_ENABLED?: string;
  RATE_LIMIT_API_PER_MINUTE?: string;
  RATE_LIMIT_TRACK_PER_SECOND?: string;
  RATE_LIMIT_TRACK_BURST?: string;
  RATE_LIMIT_SEND_PER_SECOND?: string;
  RATE_LIMIT_SEND_BURST?: string;
  RATE_LIMIT_CONTACTS_PER_SECOND?: string;
  RATE_LIMIT_CONTACTS_BURST?: string;
}

const megabyte = 1024 * 1024;
const largestAttachmentsMb = 40;
const shortestAdminToken = 32;
const shortestLinkSecret = 32;

const publicResolver = "https://cloudflare-dns.com/dns-query";
const publicFallback = "https://dns.google/resolve";

const ResolverUrl = z.string().refine((url) => url === "" || isResolverUrl(url), {
  message: "Must be an https: URL; http: only with a loopback host",
});

const Settings = z.object({
  ENVIRONMENT: z.enum(["production", "development"]).default("production"),
  ...mailSettings,
  SANDBOX: z.enum(["true", "false"]).default("false"),
  MAX_ATTACHMENTS_COUNT: z.coerce.number().int().nonnegative().default(10),
  MAX_ATTACHMENT_SIZE_MB: z.coerce.number().positive().default(10),
  DNS_RESOLVER_URL: ResolverUrl.default(""),
  DNS_FALLBACK_URL: ResolverUrl.default(""),
  ADMIN_TOKEN: z.string().optional(),
  LINK_SECRETS: z.string().default(""),
  PUBLIC_URL: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
  IDEMPOTENCY_KEY_TTL_HOURS: z.coerce.number().positive().default(24),
  FLOOD_BRAKE_ENABLED: z.enum(["true", "false"]).default("false"),
  ...rateLimitSettings,
});

export interface Config {
  isDevelopment: boolean;
  mailProvider: MailProvider;
  mail: MailSettings;
  sandbox: boolean;
  /** All attachments of one email together, decoded. */
  maxAttachmentBytes: number;
  /** How many one email may have. */
  maxAttachments: number;
  /** Who is asked for DNS over HTTPS, in this order. */
  dnsResolvers: string[];
  /** Null switches the operator's API off. */
  adminToken: string | null;
  /** Sign the links to recipients' pages: the first signs, all are accepted. With none there are no such links. */
  linkSecrets: readonly string[];
  /** Where recipients reach us, without a slash at its end; null when that is where callers do. */
  baseUrl: string | null;
  /** How long an idempotency key is kept. */
  idempotencyTtlMs: number;
  /** Refuse floods from one address before their keys are looked at. */
  hasFloodBrake: boolean;
  /** Null when rate limiting is off. */
  rateLimits: RateLimits | null;
}

/** A short token is none: it could be guessed, and everything but `/admin` goes on. */
function longEnough(token: string | undefined): string | null {
  if (!token) return null;
  if (token.length >= shortestAdminToken) return token;
  log("error", `ADMIN_TOKEN is shorter than ${shortestAdminToken} characters, so /admin is closed`);
  return null;
}

function withinCeiling(attachmentsMb: number): number {
  if (attachmentsMb <= largestAttachmentsMb) return attachmentsMb;
  log("warn", `MAX_ATTACHMENT_SIZE_MB is read as ${largestAttachmentsMb}, the most a message can hold`);
  return largestAttachmentsMb;
}

/** Who names a resolver of their own does not want a public one to hear what it was asked. */
function resolversOf(resolver: string, fallback: string): string[] {
  const first = resolver || publicResolver;
  const second = fallback || (first === publicResolver ? publicFallback : "");
  return second === "" || second === first ? [first] : [first, second];
}

/** A short secret is left out, and can then neither sign nor verify. */
function secretsIn(list: string): string[] {
  const secrets = list.split(",").map((secret) => secret.trim());
  const good = secrets.filter((secret) => secret.length >= shortestLinkSecret);
  if (list !== "" && good.length < secrets.length) {
    log("error", `A secret in LINK_SECRETS is shorter than ${shortestLinkSecret} characters and is not used`);
  }
  return good;
}

/** Every setting with its default and limit. Nobody else reads the environment. */
export function readConfig(env: Env): Config {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Petrel's settings cannot be read. ${faults.join("; ")}`);
  }
  const settings = parsed.data;
  return {
    isDevelopment: settings.ENVIRONMENT === "development",
    mailProvider: settings.MAIL_PROVIDER,
    mail: mailOf(settings),
    sandbox: settings.SANDBOX === "true",
    maxAttachments: settings.MAX_ATTACHMENTS_COUNT,
    maxAttachmentBytes: withinCeiling(settings.MAX_ATTACHMENT_SIZE_MB) * megabyte,
    dnsResolvers: resolversOf(settings.DNS_RESOLVER_URL, settings.DNS_FALLBACK_URL),
    adminToken: longEnough(settings.ADMIN_TOKEN),
    linkSecrets: secretsIn(settings.LINK_SECRETS),
    baseUrl: settings.PUBLIC_URL.replace(/\/+$/, "") || null,
    idempotencyTtlMs: settings.IDEMPOTENCY_KEY_TTL_HOURS * hourMs,
    hasFloodBrake: settings.FLOOD_BRAKE_ENABLED === "true",
    rateLimits: rateLimitsOf(settings),
  };
}
