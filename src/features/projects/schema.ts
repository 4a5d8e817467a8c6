import { z } from "zod";
import { readId } from "../../core/ids";
import { keyGrants } from "../../core/keys";
import { LanguageTag } from "../../core/languages/language-tag";
import { DisplayName } from "../../core/mail/address-input";
import { Company, PostalAddress } from "../../core/mail/imprint";
import { Description, VisibleName } from "../../core/name";
import { Warnings } from "../../core/warning";

export const ProjectName = VisibleName;
const Tracking = z.enum(["ENABLED", "DISABLED", "MARKETING_ONLY"]);
const Limit = z.number().int().min(1).nullable();

const projectExample = {
  id: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
  name: "Acme",
  fromName: "Acme",
  locale: "en",
  disabled: false,
  disabledReason: null,
  tracking: "ENABLED" as const,
  monthlySendLimit: null,
  sendRatePerSecond: null,
  testClock: false,
  publicKeyMayResubscribe: false,
  publicAnswers: "IDS" as const,
  company: "Acme GmbH",
  postalAddress: "Musterstraße 1\n10115 Berlin\nGermany",
  publicTrackSubscribes: true,
  maxStorageMb: 2048,
  database: "DB",
  moving: null,
  sendingPaused: null,
  confirmationTemplateId: null,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const PublicAnswers = z.enum(["IDS", "NONE"]).meta({
  description:
    "What answers to calls with a public key contain. `NONE`: no ids, and the same answer whether or not " +
    "an address is known.",
});

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    fromName: z.string().nullable(),
    locale: z.string(),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    tracking: Tracking,
    monthlySendLimit: z.number().int().nullable(),
    sendRatePerSecond: z.number().int().nullable(),
    testClock: z.boolean(),
    publicKeyMayResubscribe: z.boolean(),
    publicAnswers: PublicAnswers,
    company: z.string().nullable(),
    postalAddress: z.string().nullable(),
    publicTrackSubscribes: z.boolean(),
    maxStorageMb: z.number().int(),
    database: z.string().meta({ description: "The binding of the database that holds the project's rows." }),
    moving: z
      .object({
        to: z.string().meta({ description: "The binding of the database that the project moves to." }),
        jobId: z.string(),
        since: z.iso.datetime(),
        turnsBack: z.boolean().meta({
          description: "Whether the move was taken back or has failed. Its copied rows are then being deleted.",
        }),
      })
      .nullable()
      .meta({ description: "The move to another database that is in progress. Null if there is none." }),
    sendingPaused: z
      .object({ reason: z.string(), at: z.iso.datetime() })
      .nullable()
      .meta({
        description:
          "Why and since when marketing email is paused: too many of the project's emails bounced or drew " +
          "complaints. Null if it is not paused.",
      }),
    confirmationTemplateId: z
      .string()
      .nullable()
      .meta({ description: "The id of the template that `confirm: true` mails. Null if there is none." }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Project", example: projectExample });

export const ProjectPage = z
  .object({
    data: z.array(Project),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "ProjectPage", example: { data: [projectExample], cursor: "", hasMore: false, total: 1 } });

const Locale = LanguageTag.meta({
  description:
    "The language of recipients' pages and of the footer, for contacts without a `locale`. Until you set " +
    "it, it is `en`, and pages follow the browser's language.",
});

const settings = {
  fromName: DisplayName.nullable().meta({ type: ["string", "null"] }),
  locale: Locale,
  monthlySendLimit: Limit.meta({
    description: "The maximum number of emails per calendar month (UTC). Null for no limit.",
  }),
  sendRatePerSecond: Limit.meta({
    description:
      "The maximum rate in emails per second for all campaigns of the project together. Also limits calls of `POST " +
      "/v1/send` per second if it is less than the installation's setting. Null for no limit of its own.",
  }),
  tracking: Tracking,
  testClock: z.boolean(),
  publicAnswers: PublicAnswers,
  company: Company.nullable().meta({
    description: "The company name in the footer of marketing email, above the postal address.",
  }),
  postalAddress: PostalAddress.nullable().meta({
    description:
      "The postal address in the footer of marketing email, with its line breaks. The laws of many " +
      "countries require it: see Types of mail. Without it, sending marketing email returns a warning.",
  }),
  maxStorageMb: z
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .meta({
      default: 2048,
      description:
        "How many megabytes the project may store in its database and in files. 0 for no limit. Above it, " +
        "calls that add rows or files get a 402. See `GET /admin/projects/{id}/usage`.",
    }),
  publicTrackSubscribes: z.boolean().meta({
    default: true,
    description:
      "Whether contacts created by `/v1/track` are subscribed if the call does not say so. With false they " +
      "are neither subscribed nor opted out, so tracking an event on a page never leads to marketing mail.",
  }),
};

export const CreateProject = z
  .object({ name: ProjectName, ...settings })
  .partial({
    fromName: true,
    locale: true,
    monthlySendLimit: true,
    sendRatePerSecond: true,
    tracking: true,
    testClock: true,
    publicAnswers: true,
    company: true,
    postalAddress: true,
    publicTrackSubscribes: true,
    maxStorageMb: true,
  })
  .meta({ id: "CreateProject", example: { name: "Acme", fromName: "Acme" } });
export type CreateProject = z.infer<typeof CreateProject>;

export const UpdateProject = z
  .object({
    name: ProjectName,
    ...settings,
    disabled: z.boolean(),
    disabledReason: Description.nullable(),
    publicKeyMayResubscribe: z
      .boolean()
      .meta({ description: "Whether `/v1/track` may subscribe people who have unsubscribed themselves." }),
    sendingPaused: z.null({ error: "Can only be set to null, which lifts the pause" }).meta({
      description: "Null ends the pause of marketing email, and starts the count of bounces and complaints again.",
    }),
  })
  .extend({
    confirmationTemplateId: z
      .string()
      .transform(readId)
      .nullable()
      .meta({
        type: ["string", "null"],
        description:
          "The id of the template for double opt-in, of any type: it is sent as TRANSACTIONAL. Include a link " +
          "to `{{ confirmUrl }}` in it.",
      }),
  })
  .partial()
  .meta({ id: "UpdateProject", example: { disabled: true, disabledReason: "Unpaid invoice" } });
export type UpdateProject = z.infer<typeof UpdateProject>;

export const CreatedProject = z
  .object({ project: Project, keys: z.object({ secret: z.string(), public: z.string() }) })
  .meta({
    id: "CreatedProject",
    example: { project: projectExample, keys: { secret: `sk_${"5f".repeat(32)}`, public: `pk_${"a0".repeat(32)}` } },
  });

const keyExample = {
  id: "0199a0f2-0b7b-7f52-9c31-6f5e4d3c2b1a",
  kind: "secret" as const,
  name: "server",
  prefix: "sk_5f5f5f5f",
  createdAt: "2026-01-31T09:00:00.000Z",
};

export const Key = z
  .object({
    id: z.string(),
    kind: z.enum(keyGrants),
    name: z.string().nullable(),
    prefix: z.string(),
    lastUsedAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "Key", example: { ...keyExample, lastUsedAt: null } });

export const Keys = z.array(Key).meta({ id: "Keys", example: [{ ...keyExample, lastUsedAt: null }] });

export const CreatedKey = Key.omit({ lastUsedAt: true })
  .extend({ key: z.string().meta({ description: "The full key. No other answer shows it." }) })
  .meta({ id: "CreatedKey", example: { ...keyExample, key: `sk_${"5f".repeat(32)}` } });

export const CreateKey = z
  .object({
    kind: z.enum(keyGrants).meta({
      description:
        "`secret`: may do everything in its project. `public`: may only call `POST /v1/track`. `read`: may " +
        "make calls that change nothing, which are every GET, `/v1/verify`, lookups, previews, pre-flights, " +
        "simulations and explanations. A `read` key begins with sk_ too.",
    }),
    name: ProjectName.nullish(),
  })
  .meta({ id: "CreateKey", example: { kind: "secret", name: "server" } });
export type CreateKey = z.infer<typeof CreateKey>;
