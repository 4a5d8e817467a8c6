import { z } from "zod";
import { Warnings } from "../../core/warning";

/** The codes of items. A client that does not know a code can show the item's message instead. */
const attentionCodes = [
  "project_disabled",
  "marketing_paused",
  "bounces_near_limit",
  "complaints_near_limit",
  "month_limit_reached",
  "month_limit_near",
  "storage_limit_reached",
  "storage_limit_near",
  "no_verified_domain",
  "domain_failing",
  "domain_unverified",
  "campaign_held",
  "emails_failed",
  "emails_unknown",
  "webhook_disabled",
  "webhook_failing",
  "jobs_failed",
  "workflow_issues",
  "workflow_failing",
  "key_unused",
  "no_mail_yet",
] as const;

/**
 * `act`: mail or events do not go out. `warn`: mail or events might stop soon, or something was lost. `info`: a
 * remaining step of the set-up.
 */
export const severities = ["act", "warn", "info"] as const;

const AttentionItem = z.object({
  code: z.enum(attentionCodes),
  severity: z.enum(severities).meta({
    description:
      "`act`: mail or events do not go out until you act. `warn`: something was lost, or may be soon. " +
      "`info`: a remaining step of the set-up.",
  }),
  message: z.string(),
  count: z
    .number()
    .int()
    .meta({ description: "The number of problems of this kind, such as failed emails. 1 for a single resource." }),
  isAtLeast: z.literal(true).optional().meta({ description: "Present if there may be more than `count`." }),
  since: z.iso.datetime().nullable(),
  target: z
    .object({
      type: z.enum(["project", "domain", "campaign", "webhook", "workflow", "key"]),
      id: z.string(),
      name: z.string(),
    })
    .nullable()
    .meta({ description: "The resource with the problem. Null for the mail or the jobs of the project as a whole." }),
  action: z.object({
    text: z.string().meta({ description: "What to do." }),
    method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
    path: z.string(),
    body: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const Attention = z.object({ items: z.array(AttentionItem), warnings: Warnings }).meta({
  id: "Attention",
  example: {
    items: [
      {
        code: "domain_unverified",
        severity: "warn",
        message: "acme.example is not verified: mail from it is refused.",
        count: 1,
        since: "2026-01-31T09:00:00.000Z",
        target: { type: "domain", id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", name: "acme.example" },
        action: {
          text: "Create its DNS records, then have it checked again.",
          method: "GET",
          path: "/domains/0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10/verify",
        },
      },
    ],
  },
});
