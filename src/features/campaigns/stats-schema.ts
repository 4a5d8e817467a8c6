import { z } from "zod";
import { Warnings } from "../../core/warning";
import { leftOutReasons } from "../../engine/campaigns/left-out";

const counter = z.number().int();
const rate = z.number().min(0).max(100).meta({ description: "In percent of `sentCount`." });
const stats = {
  totalRecipients: counter,
  queuedCount: counter,
  sentCount: counter,
  deliveredCount: counter,
  openedCount: counter,
  clickedCount: counter,
  bouncedCount: counter,
  complainedCount: counter,
  unsubscribedCount: counter,
  failedCount: counter,
  suppressedCount: counter,
  cancelledCount: counter,
  unknownCount: counter,
  deliveryRate: rate,
  openRate: rate,
  clickRate: rate,
  bounceRate: rate,
  complaintRate: rate,
  unsubscribeRate: rate,
};

export const CampaignStats = z
  .object({
    ...stats,
    leftOut: z.array(z.object({ reason: z.enum(leftOutReasons), count: counter })).meta({
      description:
        "Contacts of the audience for whom no email was created, because of their state when sending reached them. Each is counted " +
        "once, by the first reason that applies: `suppressed`, `snoozed` (a pause that the contact chose), `unsubscribed`, " +
        "`topic`. A pause of the project's marketing email holds the campaign, and leaves nobody out. Emails that were " +
        "withheld later are in `suppressedCount` and `cancelledCount`.",
    }),
    variants: z.array(z.object({ name: z.string(), ...stats })).optional(),
  })
  .meta({
    id: "CampaignStats",
    example: {
      totalRecipients: 1042,
      queuedCount: 0,
      sentCount: 1000,
      deliveredCount: 990,
      openedCount: 400,
      clickedCount: 100,
      bouncedCount: 10,
      complainedCount: 0,
      unsubscribedCount: 5,
      failedCount: 2,
      suppressedCount: 40,
      cancelledCount: 0,
      unknownCount: 0,
      deliveryRate: 99,
      openRate: 40,
      clickRate: 10,
      bounceRate: 1,
      complaintRate: 0,
      unsubscribeRate: 0.5,
      leftOut: [{ reason: "unsubscribed", count: 31 }],
    },
  });
export type CampaignStats = z.infer<typeof CampaignStats>;

export const CampaignLinks = z
  .object({
    data: z.array(
      z.object({
        url: z.string().meta({ description: "The URL as written in the body, before variables are replaced." }),
        clicks: counter.meta({ description: "The number of clicks by people. At most 100 clicks in one email count." }),
        uniqueClicks: counter.meta({ description: "The number of recipients who clicked the link." }),
        automatedClicks: counter.meta({ description: "The number of clicks by known scanners and link previews." }),
      }),
    ),
    truncated: z.boolean().meta({ description: "Whether there are more links than are listed." }),
  })
  .meta({
    id: "CampaignLinks",
    example: {
      data: [{ url: "https://acme.example/sale?from={{ id }}", clicks: 130, uniqueClicks: 98, automatedClicks: 21 }],
      truncated: false,
    },
  });

const hourExample = {
  at: "2026-01-31T09:00:00.000Z",
  sent: 1000,
  delivered: 990,
  opened: 120,
  clicked: 30,
  bounced: 10,
  complained: 0,
  unsubscribed: 2,
};

export const CampaignTimeline = z
  .object({
    data: z.array(
      z.object({
        at: z.iso.datetime().meta({ description: "When the hour begins." }),
        sent: counter,
        delivered: counter,
        opened: counter,
        clicked: counter,
        bounced: counter,
        complained: counter,
        unsubscribed: counter,
      }),
    ),
    hasMore: z.boolean().meta({
      description: "Whether there are later hours. To get them, pass the hour after the last one as `startDate`.",
    }),
    warnings: Warnings,
  })
  .meta({ id: "CampaignTimeline", example: { data: [hourExample], hasMore: false } });
export type CampaignTimeline = z.infer<typeof CampaignTimeline>;
