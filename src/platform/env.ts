import { z } from "zod";
import type { Databases } from "../db/client";
import { log } from "./log";
import type { PaceObject } from "./mailer/pace-object";

/** The bindings and settings of wrangler.toml, and the secrets. */
export interface Env extends Databases {
  BLOBS: R2Bucket;
  ASSETS: Fetcher;
  PACE: DurableObjectNamespace<PaceObject>;
  MAIL_QUEUE: Queue;
  CAMPAIGN_MAIL_QUEUE: Queue;
  EVENTS_QUEUE: Queue;
  OUTBOUND_QUEUE: Queue;
  JOBS_QUEUE: Queue;
  ENVIRONMENT?: string;
  MAIL_PROVIDER?: string;
  SANDBOX?: string;
  MAX_ATTACHMENT_SIZE_MB?: string;
  ADMIN_TOKEN?: string;
}

const megabyte = 1024 * 1024;
const largestAttachmentsMb = 40;
const shortestAdminToken = 32;

const Settings = z.object({
  ENVIRONMENT: z.enum(["production", "development"]).default("production"),
  MAIL_PROVIDER: z.enum(["outbox"]).default("outbox"),
  SANDBOX: z.enum(["true", "false"]).default("false"),
  MAX_ATTACHMENT_SIZE_MB: z.coerce.number().positive().default(10),
  ADMIN_TOKEN: z.string().optional(),
});

export interface Config {
  isDevelopment: boolean;
  mailProvider: "outbox";
  sandbox: boolean;
  /** All attachments of one email together, decoded. */
  maxAttachmentBytes: number;
  /** Null switches the operator's API off. */
  adminToken: string | null;
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

const configs = new WeakMap<Env, Config>();

/** Every setting with its default and limit, read once per isolate. Nobody else reads the environment. */
export function readConfig(env: Env): Config {
  const known = configs.get(env);
  if (known) return known;
  const parsed = Settings.safeParse(env);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Petrel's settings cannot be read. ${faults.join("; ")}`);
  }
  const settings = parsed.data;
  const config: Config = {
    isDevelopment: settings.ENVIRONMENT === "development",
    mailProvider: settings.MAIL_PROVIDER,
    sandbox: settings.SANDBOX === "true",
    maxAttachmentBytes: withinCeiling(settings.MAX_ATTACHMENT_SIZE_MB) * megabyte,
    adminToken: longEnough(settings.ADMIN_TOKEN),
  };
  configs.set(env, config);
  return config;
}
