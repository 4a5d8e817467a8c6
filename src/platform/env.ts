import { z } from "zod";
import { isLoopback, isResolverUrl } from "../core/dns";
import { normalizeEmail } from "../core/mail/address";
import { dayMs, hourMs } from "../core/time";
import type { Databases } from "../db/client";
import { accessOf, consoleFromOf } from "./console-settings";
import { log } from "./log";
import type { PaceObject } from "./mailer/pace-object";
import { type MailSettings, readMailConfig } from "./mailer/providers";
import { areas, dataLocationOf, jurisdictions } from "./objects";
import type { ProjectGateObject } from "./project-gate-object";
import { rateLimitSettings, rateLimitsOf } from "./rate-limits";
import { parseSettings, type Settings } from "./settings";

/** The bindings of wrangler.toml, and every setting and secret as text. */
export interface Env extends Databases, MailSettings, Settings<typeof settings> {
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
}

const megabyte = 1024 * 1024;
const maxAttachmentsMb = 40;
const shortestSecret = 32;

const publicResolver = "https://cloudflare-dns.com/dns-query";
const publicFallback = "https://dns.google/resolve";

const ResolverUrl = z.string().refine((url) => url === "" || isResolverUrl(url), {
  message: "Must be an https: URL; http: only with a loopback host",
});

/** A URL that belongs to the operator and that this installation calls. */
const OwnUrl = z.union([z.literal(""), z.url({ protocol: /^https?$/ })]);

const percent = z.coerce.number().min(0).max(100);

const settings = {
  ENVIRONMENT: z.enum(["production", "development"]).default("production"),
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
  NIGHTLY_BACKUPS: z.enum(["true", "false"]).default("false"),
  BACKUP_RETENTION_DAYS: z.coerce.number().positive().default(30),
  BRAKE_BOUNCE_PERCENT: percent.default(8),
  BRAKE_COMPLAINT_PERCENT: percent.default(0.3),
  PUBLIC_CONFIRMATIONS_PER_HOUR: z.coerce.number().int().nonnegative().default(100),
  PUBLIC_MAILS_PER_HOUR: z.coerce.number().int().nonnegative().default(500),
  CONSOLE_ENABLED: z.enum(["true", "false"]).default("true"),
  CONSOLE_FROM: z.string().default(""),
  ACCESS_TEAM: z
    .string()
    .default("")
    .refine((team) => team === "" || /^[a-z0-9-]+$/.test(team), "Must be the name before .cloudflareaccess.com"),
  ACCESS_AUDIENCE: z.string().default(""),
  RECEIVED_MAIL_TO: z
    .string()
    .default("")
    .refine((address) => address === "" || normalizeEmail(address) !== null, "Must be an email address"),
  HEARTBEAT_URL: OwnUrl.default(""),
  ALERT_WEBHOOK_URL: OwnUrl.default(""),
  FLOOD_BRAKE_ENABLED: z.enum(["true", "false"]).default("false"),
  ...rateLimitSettings,
};

function withinCeiling(attachmentsMb: number): number {
  if (attachmentsMb <= maxAttachmentsMb) return attachmentsMb;
  log("warn", `MAX_ATTACHMENT_SIZE_MB is read as ${maxAttachmentsMb}, the most a message can hold`);
  return maxAttachmentsMb;
}

/**
 * Returns the resolvers. A private resolver gets no public fallback by default, because the public resolver would then
 * see the lookups.
 */
function resolversOf(resolver: string, fallback: string): string[] {
  const first = resolver || publicResolver;
  const second = fallback || (first === publicResolver ? publicFallback : "");
  return second === "" || second === first ? [first] : [first, second];
}

/** The settings that contain our secrets, each as a list. */
const secretSettings = ["ADMIN_TOKEN", "LINK_SECRETS", "WEBHOOK_SECRETS"] as const;

/** Drops secrets that are too short, because they could be guessed. */
function secretsIn(name: string, list: string): readonly string[] {
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

/**
 * Returns the `host:port` entries that name this machine. Other entries are dropped, and in production all entries are.
 */
function allowedLoopback(list: string, environment: string): ReadonlySet<string> {
  if (environment !== "development") return new Set();
  const entries = itemsOf(list).map((entry) => entry.toLowerCase());
  const good = entries.filter((entry) => /:\d+$/.test(entry) && isLoopback(entry.replace(/:\d+$/, "")));
  if (good.length < entries.length) {
    log("error", "An entry of OUTBOUND_ALLOW_LOOPBACK is not host:port of this machine and is not used");
  }
  return new Set(good);
}

/** Returns the hosts for which the outbox is open. The host of PUBLIC_URL is always one of them. */
function outboxHostsOf(list: string, publicUrl: string): ReadonlySet<string> {
  const names = itemsOf(list).map((name) => name.toLowerCase());
  return new Set(publicUrl === "" ? names : [...names, new URL(publicUrl).hostname]);
}

/** Reads every setting, with its default and limits. No other code reads the environment. */
export function readConfig(env: Env) {
  const values = parseSettings(settings, env);
  const shortSecrets = secretSettings.filter((name) => {
    return itemsOf(values[name]).some((secret) => secret.length < shortestSecret);
  });
  const linkSecrets = secretsIn("LINK_SECRETS", values.LINK_SECRETS);
  const mail = readMailConfig(env);
  return {
    isDevelopment: values.ENVIRONMENT === "development",
    mail,
    sandbox: values.SANDBOX === "true",
    /** The maximum number of attachments that one email may have. */
    maxAttachments: values.MAX_ATTACHMENTS_COUNT,
    /** The maximum total size of the attachments of one email, in decoded bytes. */
    maxAttachmentBytes: withinCeiling(values.MAX_ATTACHMENT_SIZE_MB) * megabyte,
    /** The DNS-over-HTTPS resolvers, in the order in which they are asked. */
    dnsResolvers: resolversOf(values.DNS_RESOLVER_URL, values.DNS_FALLBACK_URL),
    /** The tokens of the operator; any of them opens `/admin`. Without one, the operator API is off. */
    adminTokens: secretsIn("ADMIN_TOKEN", values.ADMIN_TOKEN),
    /** Host names for which the outbox is open in development, in addition to those of this machine. */
    outboxHosts: outboxHostsOf(values.OUTBOX_HOSTS, values.PUBLIC_URL),
    /**
     * Secrets that sign links to the pages for recipients: the first one signs, all are accepted. Without a secret
     * there are no such links.
     */
    linkSecrets,
    /**
     * Secrets that encrypt the secrets of webhooks: the first one encrypts, all decrypt. Without a secret there are no
     * webhooks.
     */
    webhookSecrets: secretsIn("WEBHOOK_SECRETS", values.WEBHOOK_SECRETS),
    /** The settings with a secret that is too short to be used. */
    shortSecrets,
    /** Each `host:port` of this machine that a tenant's URL may name, in development only. */
    outboundAllowLoopback: allowedLoopback(values.OUTBOUND_ALLOW_LOOPBACK, values.ENVIRONMENT),
    /** The URL at which recipients reach us, without a trailing slash. Null means the URL of the request. */
    baseUrl: values.PUBLIC_URL.replace(/\/+$/, "") || null,
    /** The location of databases and objects. */
    dataLocation: dataLocationOf(values.DATA_LOCATION, values.ENVIRONMENT === "development"),
    /**
     * Whether lists and documents may be read from copies of the databases. This needs link secrets, which seal the
     * bookmarks.
     */
    readsCopies: values.READ_REPLICAS === "true" && linkSecrets.length > 0,
    /**
     * The address to which the Worker forwards the mail that an email routing rule sends to it; null when mail is not
     * forwarded.
     */
    receivedMailTo: values.RECEIVED_MAIL_TO || null,
    /** How long an idempotency key is stored. */
    idempotencyTtlMs: values.IDEMPOTENCY_KEY_TTL_HOURS * hourMs,
    /** How long the content of an email is retained after the mail is final. */
    contentRetentionMs: values.EMAIL_CONTENT_RETENTION_DAYS * dayMs,
    /** How long events are retained; null means forever. */
    eventRetentionMs: values.EVENT_RETENTION_DAYS === 0 ? null : values.EVENT_RETENTION_DAYS * dayMs,
    /** Whether projects are backed up every night, and for how long a backup is kept. */
    backups: { isNightly: values.NIGHTLY_BACKUPS === "true", retentionDays: values.BACKUP_RETENTION_DAYS },
    /** How long executions of workflows are retained after their end. */
    executionRetentionMs: values.EXECUTION_RETENTION_DAYS * dayMs,
    /** The shares of bounces and complaints in a project's recent mail above which its marketing email is paused. */
    reputation: {
      bouncePercent: values.BRAKE_BOUNCE_PERCENT,
      complaintPercent: values.BRAKE_COMPLAINT_PERCENT,
    },
    /** The maximum number of confirmation emails that public keys of one project may cause in an hour. */
    publicConfirmationsPerHour: values.PUBLIC_CONFIRMATIONS_PER_HOUR,
    /** The maximum number of workflow emails per hour that events sent with public keys may cause in one project. */
    publicMailsPerHour: values.PUBLIC_MAILS_PER_HOUR,
    /** Whether people can sign in to the console. */
    hasConsole: values.CONSOLE_ENABLED === "true",
    /** The sender of the installation's own mail; null when the installation sends no mail of its own. */
    consoleFrom: consoleFromOf(values.CONSOLE_FROM, mail.provider.name),
    /** The application of Cloudflare Access whose people may sign in; null when there is none. */
    access: accessOf(values.ACCESS_TEAM, values.ACCESS_AUDIENCE),
    /** The URL called every five minutes while no health check fails; null when none is set. */
    heartbeatUrl: values.HEARTBEAT_URL || null,
    /** The URL called when a health check begins to fail or recovers; null when none is set. */
    alertWebhookUrl: values.ALERT_WEBHOOK_URL || null,
    /** Whether floods from one IP address are refused before their keys are checked. */
    hasFloodBrake: values.FLOOD_BRAKE_ENABLED === "true",
    /** The rate limits; null when rate limiting is off. */
    rateLimits: rateLimitsOf(values),
  };
}

/** The settings, parsed. */
export type Config = ReturnType<typeof readConfig>;
