import { z } from "zod";
import { type ActivityType, activityTypes } from "../../core/events/activity-types";
import { DateRange } from "../../core/events/range";
import { type EventColumn, eventColumns } from "../../core/events/service-event";
import { readId } from "../../core/ids";
import { Warnings } from "../../core/warning";

const time = z.iso.datetime();

const known: ReadonlySet<string> = new Set(activityTypes);

/** `?types=`: a comma-separated list, a repeated parameter, or both. */
const Types = z
  .union([z.string(), z.array(z.string())])
  .transform((given, check) => {
    const types = new Set([given].flat().flatMap((list) => list.split(",").map((type) => type.trim())));
    const unknown = [...types].filter((type) => !known.has(type));
    if (unknown.length === 0) return [...types] as ActivityType[]; // `unknown` is empty, so all types are known
    const message = `${shown(unknown)}. Use some of ${activityTypes.join(", ")}, separated by commas`;
    check.addIssue({ code: "custom", message, params: { code: "invalid_enum_value" } });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "Types as `GET /activity/types` lists them, separated by commas. All types when it is left out.",
    example: "email.opened,email.clicked",
  });

/** Names a few of the unknown types, and shortens each. */
function shown(unknown: string[]): string {
  const names = unknown.slice(0, 3).map((type) => (type === "" ? "an empty type" : type.slice(0, 50)));
  return `There is no type ${names.join(", ")}`;
}

export const ActivityFilters = z.object({
  types: Types.optional(),
  contactId: z.string().transform(readId).meta({ type: "string" }).optional(),
  ...DateRange.shape,
});
export type ActivityFilters = z.infer<typeof ActivityFilters>;

const contactFields = {
  contactId: z.string().nullable(),
  contactEmail: z
    .string()
    .nullable()
    .meta({ description: "The contact's current address. Null when the contact was deleted." }),
};

const example = {
  id: "0199a0f2-6c20-7a11-b2c3-d4e5f6071829",
  type: "email.clicked" as const,
  timestamp: "2026-01-31T09:00:00.000Z",
  contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  contactEmail: "ada@example.com",
  metadata: {
    emailId: "0199a0f2-7d31-7c22-a1b2-c3d4e5f60718",
    subject: "Welcome",
    templateId: null,
    campaignId: null,
    source: "TRANSACTIONAL",
    link: "https://acme.com/start",
  },
};

const Activity = z
  .object({
    id: z.string().meta({ description: "The event's id." }),
    type: z.enum(activityTypes).meta({
      description:
        "The name of the event, if the service recorded it. `event.triggered` is any event that you tracked; `segment.entry` and `segment.exit` are those of all segments.",
    }),
    timestamp: time,
    ...contactFields,
    metadata: z.record(z.string(), z.unknown()).meta({
      description:
        "The event's data. For `event.triggered`: `{ event, source, data }`, with the name that you gave it. For a segment's event: its `event` name and the slug as `segment`.",
    }),
  })
  .meta({ id: "Activity", example });

const approximation = {
  approximate: z
    .literal(true)
    .optional()
    .meta({ description: "Present when there are too many events to count exactly." }),
  countedAt: time.optional().meta({ description: "The time of the count. Present with `approximate`." }),
};

const pageFields = {
  cursor: z.string(),
  hasMore: z.boolean(),
  total: z.number().int(),
  ...approximation,
  warnings: Warnings,
};

export const ActivityPage = z
  .object({ data: z.array(Activity), ...pageFields })
  .meta({ id: "ActivityPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const ActivityTypes = z
  .object({ types: z.array(z.enum(activityTypes)) })
  .meta({ id: "ActivityTypes", example: { types: [...activityTypes] } });

export const ActivityVersion = z
  .object({
    version: z.string().meta({ description: "Changes with each accepted email and each event." }),
    emailId: z.uuid().nullable().meta({ description: "The newest email. Null before the first one." }),
  })
  .meta({
    id: "ActivityVersion",
    example: {
      version: "0AbCdEfGhIjKlMnOpQrStU.0AbCdEfGhIjKlMnOpQrStV",
      emailId: "0199a0f2-7d31-7c22-a1b2-c3d4e5f60718",
    },
  });

const count = z.number().int();
const countsOfEvents = Object.fromEntries(
  eventColumns.map(({ column, means }) => [column, means === undefined ? count : count.meta({ description: means })]),
) as Record<EventColumn, typeof count>; // the object has every column
const counts = {
  ...countsOfEvents,
  events: count.meta({ description: "Events that you tracked: `event.triggered`." }),
};
const exampleCounts = { sent: 120, delivered: 118, opened: 61, clicked: 14, bounced: 2, complained: 0, events: 310 };

export const ActivityStats = z
  .object({
    totals: z.object(counts).meta({ description: "The sums of the series." }),
    series: z
      .array(z.object({ date: z.iso.date(), ...counts }))
      .meta({ description: "One entry for each day (UTC), oldest first, also for days on which nothing happened." }),
    ...approximation,
  })
  .meta({
    id: "ActivityStats",
    example: { totals: exampleCounts, series: [{ date: "2026-01-31", ...exampleCounts }] },
  });

const upcomingExample = {
  id: "0199a0f2-7d31-7c22-a1b2-c3d4e5f60718",
  type: "email.scheduled" as const,
  timestamp: "2026-02-01T09:00:00.000Z",
  contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  contactEmail: "ada@example.com",
  metadata: {
    emailId: "0199a0f2-7d31-7c22-a1b2-c3d4e5f60718",
    subject: "Your trial ends tomorrow",
    templateId: null,
    campaignId: null,
    source: "TRANSACTIONAL",
  },
};

const Upcoming = z
  .object({
    id: z.string().meta({ description: "The id of the campaign, of the email, or of the workflow's execution." }),
    type: z.enum(["campaign.scheduled", "email.scheduled", "workflow.waiting"]),
    timestamp: time.meta({ description: "When it will happen." }),
    ...contactFields,
    metadata: z.record(z.string(), z.unknown()).meta({
      description:
        "For a campaign: `campaignId`, `name`, `subject`, `audienceType`. For an email: the data of its events. For a workflow: `executionId`, `workflowId`, `workflowName`, and the step that it waits at as `stepId`, `stepName`, `stepType`.",
    }),
  })
  .meta({ id: "UpcomingActivity", example: upcomingExample });

export const UpcomingPage = z
  .object({ data: z.array(Upcoming), ...pageFields })
  .meta({ id: "UpcomingActivityPage", example: { data: [upcomingExample], cursor: "", hasMore: false, total: 1 } });
