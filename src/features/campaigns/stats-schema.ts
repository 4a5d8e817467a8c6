import { z } from "zod";
import { Warnings } from "../../core/warning";
import { leftOutReasons } from "../../engine/campaigns/left-out";

const counter = z.number().int();
const rate = z.number().min(0).max(100).meta({ description: "In percent of sentCount." });
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
        "Contacts of the audience that got no email, counted when their page of the audience was reached: each once, by the " +
        "first of these reasons that applies: `suppressed`, `snoozed`, `unsubscribed`, `topic`. A person's own " +
        "pause is `snoozed`. While the project's marketing mail is paused, the campaign is held, and no contact is left out for it, " +
        "so there is no reason `paused`. Emails that were withheld later are among `suppressedCount` and `cancelledCount`.",
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
        url: z.string().meta({ description: "As written in the body, before variables are replaced." }),
        clicks: counter.meta({ description: "Clicks by people. At most 100 of one email count." }),
        uniqueClicks: counter.meta({ description: "Recipients who clicked it at least once." }),
        automatedClicks: counter.meta({ description: "Clicks by known scanners and link previews." }),
      }),
    ),
    truncated: z.boolean().meta({ description: "True when there are more links than are listed." }),
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
    hasMore: z.boolean().meta({ description: "There are later hours. Pass the next one as `startDate`." }),
    warnings: Warnings,
  })
  .meta({ id: "CampaignTimeline", example: { data: [hourExample], hasMore: false } });
export type CampaignTimeline = z.infer<typeof CampaignTimeline>;
