import { z } from "zod";
import { references } from "../../core/audience/referrers";
import { Confirm, Confirmation } from "../../core/contacts/confirmation";
import { ContactData } from "../../core/contacts/data";
import { EventName } from "../../core/events/names";
import { readId } from "../../core/ids";
import { isDeeperThan } from "../../core/json";
import { Email } from "../../core/mail/address-input";
import { Warnings } from "../../core/warning";

const time = z.iso.datetime();

const trackExample = {
  email: "ada@example.com",
  event: "purchase",
  data: { plan: "pro", amount: { value: 49, persistent: false } },
};

export const TrackEvent = z
  .object({
    email: Email,
    event: EventName,
    subscribed: z
      .boolean()
      .nullish()
      .meta({
        description:
          "Default for new contacts: true, or false with a public key if the project has " +
          "`publicTrackSubscribes: false`. Without it, existing contacts keep their state. `false` also " +
          "unsubscribes.",
      }),
    confirm: Confirm,
    data: ContactData.optional(),
  })
  .meta({ id: "TrackEvent", example: trackExample });
export type TrackEvent = z.infer<typeof TrackEvent>;

export const TrackEventInBrowser = TrackEvent.extend({
  key: z
    .string()
    .nullish()
    .meta({
      description:
        "The public key, for calls that cannot set headers, such as `navigator.sendBeacon`. Ignored if there " +
        "is an `Authorization` header. 401 for a secret key.",
      example: `pk_${"a0".repeat(32)}`,
    }),
  idempotencyKey: z.string().nullish().meta({
    description: "The `Idempotency-Key`, for calls with `key` in their body.",
    example: "visit-1042",
  }),
}).meta({ id: "TrackEventInBrowser", example: trackExample });

/**
 * The maximum number of levels of an event in a batch: more than any event may have, and far fewer than would overflow
 * a stack.
 */
const maxLevels = 100;
/**
 * The maximum number of events of a call. Each takes several statements, and an invocation has at most 1,000 of them.
 */
const maxBatch = 20;

export const TrackEventBatch = z
  .object({
    key: TrackEventInBrowser.shape.key,
    events: z
      .array(z.record(z.string(), z.unknown()).refine((event) => !isDeeperThan(event, maxLevels), "Nests too deep"))
      .min(1)
      .max(maxBatch)
      .meta({
        description:
          `At most ${maxBatch} events. Each is a body of \`POST /v1/track\` without \`key\`, and may have an ` +
          "`idempotencyKey`.",
      }),
  })
  .meta({
    id: "TrackEventBatch",
    example: { events: [{ ...trackExample, idempotencyKey: "visit-1042" }] },
  });

const notInPublicAnswers = "Absent from answers to a public key if the project's `publicAnswers` is `NONE`.";

const trackedExample = {
  success: true as const,
  data: {
    contact: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    event: "0199a0f2-6c20-7a11-b2c3-d4e5f6071829",
    timestamp: "2026-01-31T09:00:00.000Z",
  },
};

export const TrackedEvent = z
  .object({
    success: z.literal(true),
    data: z.object({
      contact: z
        .string()
        .optional()
        .meta({ description: `The contact's id. ${notInPublicAnswers}` }),
      event: z
        .string()
        .optional()
        .meta({ description: `The event's id. ${notInPublicAnswers}` }),
      timestamp: time,
      confirmation: Confirmation.optional(),
    }),
    warnings: Warnings,
  })
  .meta({
    id: "TrackedEvent",
    example: trackedExample,
  });

export const TrackedBatch = z
  .object({
    success: z.literal(true),
    data: z.object({
      answers: z
        .array(
          z.object({
            status: z
              .number()
              .int()
              .meta({ description: "The status that `POST /v1/track` would return for this event." }),
            body: z
              .record(z.string(), z.unknown())
              .meta({ description: "The answer to this event: a TrackedEvent, or an error." }),
            retry: z.boolean().meta({
              description:
                "True if you must send the event again, with the same `idempotencyKey`. This is then the last " +
                "answer: the events after it were not tracked.",
            }),
          }),
        )
        .meta({
          description:
            "One answer for each event, in the same order. An event whose `idempotencyKey` was used before gets " +
            "its first answer again.",
        }),
    }),
    warnings: Warnings,
  })
  .meta({
    id: "TrackedBatch",
    example: { success: true, data: { answers: [{ status: 200, body: trackedExample, retry: false }] } },
  });

const example = {
  id: "0199a0f2-6c20-7a11-b2c3-d4e5f6071829",
  name: "purchase",
  contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  contactEmail: "ada@example.com",
  emailId: null,
  source: "PUBLIC" as const,
  data: { plan: "pro", amount: 49 },
  createdAt: "2026-01-31T09:00:00.000Z",
};

const Event = z
  .object({
    id: z.string(),
    name: z.string(),
    contactId: z.string().nullable(),
    contactEmail: z
      .string()
      .nullable()
      .meta({ description: "The contact's current address. Null if the contact was deleted." }),
    emailId: z
      .string()
      .nullable()
      .meta({ description: "The id of the email that the event is about. Null if there is none." }),
    source: z.enum(["PUBLIC", "API", "SYSTEM"]).meta({
      description:
        "Where the event came from. `PUBLIC`: a browser, with a public key. `API`: a server, with a secret " +
        "key. `SYSTEM`: Petrel itself.",
    }),
    data: z.record(z.string(), z.unknown()),
    createdAt: time,
  })
  .meta({ id: "Event", example });

const approximation = {
  approximate: z
    .literal(true)
    .optional()
    .meta({ description: "Present if there are too many events to count exactly." }),
  countedAt: time.optional().meta({ description: "When the events were counted. Present with `approximate`." }),
};

export const EventPage = z
  .object({
    data: z.array(Event),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    ...approximation,
    warnings: Warnings,
  })
  .meta({ id: "EventPage", example: { data: [example], cursor: "", hasMore: false, total: 1 } });

export const EventFilters = z.object({
  name: z.string().optional().meta({ description: "The exact name of the event." }),
  contactId: z.string().transform(readId).meta({ type: "string" }).optional(),
});
export type EventFilters = z.infer<typeof EventFilters>;

export const EventNames = z
  .object({ names: z.array(z.string()).meta({ description: "At most 10,000 names." }) })
  .meta({ id: "EventNames", example: { names: ["email.sent", "purchase"] } });

export const EventStats = z
  .object({
    data: z
      .array(z.object({ name: z.string(), count: z.number().int(), uniqueContacts: z.number().int(), lastAt: time }))
      .meta({ description: "At most 10,000 names. `total` counts the events of all names." }),
    total: z.number().int(),
    ...approximation,
  })
  .meta({
    id: "EventStats",
    example: {
      data: [{ name: "purchase", count: 1042, uniqueContacts: 611, lastAt: "2026-01-31T09:00:00.000Z" }],
      total: 1042,
    },
  });

export const EventUsage = z
  .object({
    ...references,
    totalCount: z.number().int(),
    uniqueContacts: z.number().int(),
    canDelete: z.boolean().meta({ description: "False if something uses the event, or its name is reserved." }),
  })
  .meta({
    id: "EventUsage",
    example: {
      usedInSegments: [{ id: "0199a0f2-8b20-7c31-9d42-5e6f7a8b9c0d", name: "Buyers" }],
      usedInCampaigns: [],
      usedInWorkflows: [],
      totalCount: 1042,
      uniqueContacts: 611,
      canDelete: false,
    },
  });

export const DeletedEvents = z
  .object({ deletedCount: z.number().int() })
  .meta({ id: "DeletedEvents", example: { deletedCount: 42 } });
