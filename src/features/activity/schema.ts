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
    const message = `${shown(unknown)}. Use one or more of ${activityTypes.join(", ")}, separated by commas`;
    check.addIssue({ code: "custom", message, params: { code: "invalid_enum_value" } });
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "The types to include, as `GET /activity/types` lists them, separated by commas. Default: all types.",
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
    .meta({ description: "The contact's current address. Null if the contact was deleted, or there is none." }),
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
    id: z.string().meta({ description: "The id of the event." }),
    type: z.enum(activityTypes).meta({
      description:
        "The name of the event, if Petrel itself recorded it. `event.triggered` stands for every event that " +
        "you tracked; `segment.entry` and `segment.exit` for those of all segments.",
    }),
    timestamp: time,
    ...contactFields,
    metadata: z.record(z.string(), z.unknown()).meta({
      description:
        "The data of the event. For `event.triggered`: `{ event, source, data }`, with the name that you " +
        "gave it as `event`. For an event of a segment, also its name as `event` and the slug as `segment`.",
    }),
  })
  .meta({ id: "Activity", example });

const approximation = {
  approximate: z
    .literal(true)
    .optional()
    .meta({ description: "Present if there are too many events to count exactly." }),
  countedAt: time.optional().meta({ description: "When the events were counted. Present with `approximate`." }),
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
    version: z.string().meta({ description: "A string that changes with each accepted email and each event." }),
    emailId: z.uuid().nullable().meta({ description: "The id of the newest email. Null if there is none." }),
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
  events: count.meta({ description: "The number of events that you tracked: `event.triggered`." }),
};
const exampleCounts = { sent: 120, delivered: 118, opened: 61, clicked: 14, bounced: 2, complained: 0, events: 310 };

export const ActivityStats = z
  .object({
    totals: z.object(counts).meta({ description: "The sums over all days of the series." }),
    series: z
      .array(z.object({ date: z.iso.date(), ...counts }))
      .meta({ description: "One entry for each day (UTC), oldest first, including days on which nothing happened." }),
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
    id: z.string().meta({ description: "The id of the campaign, the email or the execution of the workflow." }),
    type: z.enum(["campaign.scheduled", "email.scheduled", "workflow.waiting"]),
    timestamp: time.meta({ description: "When the campaign or email will be sent, or the execution continues." }),
    ...contactFields,
    metadata: z.record(z.string(), z.unknown()).meta({
      description:
        "For a campaign: `campaignId`, `name`, `subject`, `audienceType`. For an email: the data of its " +
        "events. For a workflow: `executionId`, `workflowId`, `workflowName`, and the step at which it " +
        "waits, as `stepId`, `stepName`, `stepType`.",
    }),
  })
  .meta({ id: "UpcomingActivity", example: upcomingExample });

export const UpcomingPage = z
  .object({ data: z.array(Upcoming), ...pageFields })
  .meta({ id: "UpcomingActivityPage", example: { data: [upcomingExample], cursor: "", hasMore: false, total: 1 } });
