import { z } from "zod";
import { isLoopback, isResolverUrl } from "../core/dns";
import type { ReputationLimits } from "../core/mail/reputation";
import { dayMs, hourMs } from "../core/time";
import type { Databases } from "../db/client";
import { log } from "./log";
import type { PaceObject } from "./mailer/pace-object";
import { type MailProvider, type MailSettings, mailOf, mailSettings } from "./mailer/settings";
import { areas, type DataLocation, dataLocationOf, jurisdictions } from "./objects";
import type { ProjectGateObject } from "./project-gate-object";
import { type RateLimits, rateLimitSettings, rateLimitsOf } from "./rate-limits";

/** The bindings and settings of wrangler.toml, and the secrets. */
export interface Env extends Databases {
  BLOBS: R2Bucket;
  ASSETS: Fetcher;
  PACE: DurableObjectNamespace<PaceObject>;
  GATE: DurableObjectNamespace<ProjectGateObject>;
  WORKFLOWS: DurableObjectNamespace;
  SWEEPS: DurableObjectNamespace;
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
  OUTBOX_HOSTS?: string;
  LINK_SECRETS?: string;
  WEBHOOK_SECRETS?: string;
  OUTBOUND_ALLOW_LOOPBACK?: string;
  PUBLIC_URL?: string;
  DATA_LOCATION?: string;
  READ_REPLICAS?: string;
  IDEMPOTENCY_KEY_TTL_HOURS?: string;
  EMAIL_CONTENT_RETENTION_DAYS?: string;
  EVENT_RETENTION_DAYS?: string;
  EXECUTION_RETENTION_DAYS?: string;
  PUBLIC_CONFIRMATIONS_PER_HOUR?: string;
  PUBLIC_MAILS_PER_HOUR?: string;
  BRAKE_BOUNCE_PERCENT?: string;
  BRAKE_COMPLAINT_PERCENT?: string;
  FLOOD_BRAKE_ENABLED?: string;
  RATE_LIMIT_ENABLED?: string;
  RATE_LIMIT_API_PER_MINUTE?: string;
  RATE_LIMIT_TRACK_PER_SECOND?: string;
  RATE_LIMIT_TRACK_BURST?: string;
  RATE_LIMIT_SEND_PER_SECOND?: string;
  RATE_LIMIT_SEND_BURST?: string;
  RATE_LIMIT_CONTACTS_PER_SECOND?: string;
  RATE_LIMIT_CONTACTS_BURST?: string;
  RATE_LIMIT_PUBLIC_PER_ADDRESS_PER_SECOND?: string;
}

const megabyte = 1024 * 1024;
const maxAttachmentsMb = 40;
const shortestSecret = 32;

const publicResolver = "https://cloudflare-dns.com/dns-query";
const publicFallback = "https://dns.google/resolve";

const ResolverUrl = z.string().refine((url) => url === "" || isResolverUrl(url), {
  message: "Must be an https: URL; http: only with a loopback host",
});

const percent = z.coerce.number().min(0).max(100);

const Settings = z.object({
  ENVIRONMENT: z.enum(["production", "development"]).default("production"),
  ...mailSettings,
  SANDBOX: z.enum(["true", "false"]).default("false"),
  MAX_ATTACHMENTS_COUNT: z.coerce.number().int().nonnegative().default(10),
  MAX_ATTACHMENT_SIZE_MB: z.coerce.number().positive().default(10),
  DNS_RESOLVER_URL: ResolverUrl.default(""),
  DNS_FALLBACK_URL: ResolverUrl.default(""),
  ADMIN_TOKEN: z.string().default(""),
  OUTBOX_HOSTS: z.string().default(""),
  LINK_SECRETS: z.string().default(""),
  WEBHOOK_SECRETS: z.string().default(""),
  OUTBOUND_ALLOW_LOOPBACK: z.string().default(""),
  PUBLIC_URL: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
  DATA_LOCATION: z.enum(["", ...areas, ...jurisdictions]).default(""),
  READ_REPLICAS: z.enum(["true", "false"]).default("false"),
  IDEMPOTENCY_KEY_TTL_HOURS: z.coerce.number().positive().default(24),
  EMAIL_CONTENT_RETENTION_DAYS: z.coerce.number().positive().default(90),
  EXECUTION_RETENTION_DAYS: z.coerce.number().positive().default(90),
  EVENT_RETENTION_DAYS: z.coerce.number().nonnegative().default(0),
  BRAKE_BOUNCE_PERCENT: percent.default(8),
  BRAKE_COMPLAINT_PERCENT: percent.default(0.3),
  PUBLIC_CONFIRMATIONS_PER_HOUR: z.coerce.number().int().nonnegative().default(100),
  PUBLIC_MAILS_PER_HOUR: z.coerce.number().int().nonnegative().default(500),
  FLOOD_BRAKE_ENABLED: z.enum(["true", "false"]).default("false"),
  ...rateLimitSettings,
});

export interface Config {
  isDevelopment: boolean;
  mailProvider: MailProvider;
  mail: MailSettings;
  sandbox: boolean;
  /** The total size of all attachments of one email, decoded. */
  maxAttachmentBytes: number;
  /** The number of attachments of one email. */
  maxAttachments: number;
  /** The DNS-over-HTTPS resolvers, in the order in which they are asked. */
  dnsResolvers: string[];
  /** The tokens of the operator; any of them opens `/admin`. Without one, the operator API is off. */
  adminTokens: readonly string[];
  /** Host names for which the outbox is open in development, in addition to those of this machine. */
  outboxHosts: ReadonlySet<string>;
  /**
   * Secrets that sign links to the pages for recipients: the first one signs, all are accepted. Without a secret there
   * are no such links.
   */
  linkSecrets: readonly string[];
  /**
   * Secrets that encrypt the secrets of webhooks: the first one encrypts, all decrypt. Without a secret there are no
   * webhooks.
   */
  webhookSecrets: readonly string[];
  /** Each `host:port` of this machine that a tenant's URL may name, in development only. */
  outboundAllowLoopback: ReadonlySet<string>;
  /** The URL at which recipients reach us, without a trailing slash. Null means the URL of the request. */
  baseUrl: string | null;
  /** The location of databases and objects. */
  dataLocation: DataLocation;
  /** Whether databases have copies, from which lists and documents may be read. */
  readsCopies: boolean;
  /** How long an idempotency key is stored. */
  idempotencyTtlMs: number;
  /** How long the content of a mail is retained after the mail is final. */
  contentRetentionMs: number;
  /** How long executions of workflows are retained after their end. */
  executionRetentionMs: number;
  /** How long events are retained; null means forever. */
  eventRetentionMs: number | null;
  /** The shares of a project's recent mail above which its marketing email is paused. */
  reputation: ReputationLimits;
  /** The confirmation mails that public keys of one project may cause in an hour. */
  publicConfirmationsPerHour: number;
  /** The workflow mails that events of public keys of one project may cause in an hour. */
  publicMailsPerHour: number;
  /** Whether floods from one IP address are refused before their keys are checked. */
  hasFloodBrake: boolean;
  /** Null when rate limiting is off. */
  rateLimits: RateLimits | null;
}

function withinCeiling(attachmentsMb: number): number {
  if (attachmentsMb <= maxAttachmentsMb) return attachmentsMb;
  log("warn", `MAX_ATTACHMENT_SIZE_MB is read as ${maxAttachmentsMb}, the most a message can hold`);
  return maxAttachmentsMb;
}

/**
 * Returns the resolvers. A private resolver gets no public fallback by default, because the public one would then see
 * the lookups.
 */
function resolversOf(resolver: string, fallback: string): string[] {
  const first = resolver || publicResolver;
  const second = fallback || (first === publicResolver ? publicFallback : "");
  return second === "" || second === first ? [first] : [first, second];
}

/** Drops secrets that are too short, because they could be guessed. */
function secretsIn(name: string, list: string): string[] {
  const secrets = itemsOf(list);
  const good = secrets.filter((secret) => secret.length >= shortestSecret);
  if (good.length < secrets.length) {
    log("error", `A secret in ${name} is shorter than ${shortestSecret} characters and is not used`);
  }
  return good;
}

function itemsOf(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Returns the `host:port` entries of this machine. Other entries are dropped, and in production all are. */
function allowedLoopback(list: string, environment: string): ReadonlySet<string> {
  if (environment !== "development") return new Set();
  const entries = itemsOf(list).map((entry) => entry.toLowerCase());
  const good = entries.filter((entry) => /:\d+$/.test(entry) && isLoopback(entry.replace(/:\d+$/, "")));
  if (good.length < entries.length) {
    log("error", "An entry of OUTBOUND_ALLOW_LOOPBACK is not host:port of this machine and is not used");
  }
  return new Set(good);
}

/** Returns the hosts for which the outbox is open. The host of PUBLIC_URL belongs to the operator too. */
function outboxHostsOf(list: string, publicUrl: string): ReadonlySet<string> {
  const names = itemsOf(list).map((name) => name.toLowerCase());
  return new Set(publicUrl === "" ? names : [...names, new URL(publicUrl).hostname]);
}

/** Reads every setting, with its default and limits. No other code reads the environment. */
export function readConfig(env: Env): Config {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Petrel's settings cannot be read. ${faults.join("; ")}`);
  }
  const settings = parsed.data;
  const linkSecrets = secretsIn("LINK_SECRETS", settings.LINK_SECRETS);
  return {
    isDevelopment: settings.ENVIRONMENT === "development",
    mailProvider: settings.MAIL_PROVIDER,
    mail: mailOf(settings),
    sandbox: settings.SANDBOX === "true",
    maxAttachments: settings.MAX_ATTACHMENTS_COUNT,
    maxAttachmentBytes: withinCeiling(settings.MAX_ATTACHMENT_SIZE_MB) * megabyte,
    dnsResolvers: resolversOf(settings.DNS_RESOLVER_URL, settings.DNS_FALLBACK_URL),
    adminTokens: secretsIn("ADMIN_TOKEN", settings.ADMIN_TOKEN),
    outboxHosts: outboxHostsOf(settings.OUTBOX_HOSTS, settings.PUBLIC_URL),
    linkSecrets,
    webhookSecrets: secretsIn("WEBHOOK_SECRETS", settings.WEBHOOK_SECRETS),
    outboundAllowLoopback: allowedLoopback(settings.OUTBOUND_ALLOW_LOOPBACK, settings.ENVIRONMENT),
    baseUrl: settings.PUBLIC_URL.replace(/\/+$/, "") || null,
    dataLocation: dataLocationOf(settings.DATA_LOCATION, settings.ENVIRONMENT === "development"),
    // The link secrets seal bookmarks, so replicas need one.
    readsCopies: settings.READ_REPLICAS === "true" && linkSecrets.length > 0,
    idempotencyTtlMs: settings.IDEMPOTENCY_KEY_TTL_HOURS * hourMs,
    contentRetentionMs: settings.EMAIL_CONTENT_RETENTION_DAYS * dayMs,
    eventRetentionMs: settings.EVENT_RETENTION_DAYS === 0 ? null : settings.EVENT_RETENTION_DAYS * dayMs,
    executionRetentionMs: settings.EXECUTION_RETENTION_DAYS * dayMs,
    reputation: {
      bouncePercent: settings.BRAKE_BOUNCE_PERCENT,
      complaintPercent: settings.BRAKE_COMPLAINT_PERCENT,
    },
    publicConfirmationsPerHour: settings.PUBLIC_CONFIRMATIONS_PER_HOUR,
    publicMailsPerHour: settings.PUBLIC_MAILS_PER_HOUR,
    hasFloodBrake: settings.FLOOD_BRAKE_ENABLED === "true",
    rateLimits: rateLimitsOf(settings),
  };
}
