import { z } from "zod";
import { ContactData } from "../../core/contacts/data";
import { EventName } from "../../core/events/names";
import { Email } from "../../core/mail/address-input";

export const TrackEvent = z
  .object({
    email: Email,
    event: EventName,
    subscribed: z.boolean().nullish().meta({
      description: "New contacts default to true; existing ones keep theirs. `false` tracks without resubscribing.",
    }),
    data: ContactData.nullish(),
  })
  .meta({
    id: "TrackEvent",
    example: {
      email: "ada@example.com",
      event: "purchase",
      data: { plan: "pro", amount: { value: 49, persistent: false } },
    },
  });
export type TrackEvent = z.infer<typeof TrackEvent>;

export const TrackedEvent = z
  .object({
    success: z.literal(true),
    data: z.object({
      contact: z.string().meta({ description: "The contact's id." }),
      event: z.string().meta({ description: "The event's id." }),
      timestamp: z.iso.datetime(),
    }),
  })
  .meta({
    id: "TrackedEvent",
    example: {
      success: true,
      data: {
        contact: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
        event: "0199a0f2-6c20-7a11-b2c3-d4e5f6071829",
        timestamp: "2026-01-31T09:00:00.000Z",
      },
    },
  });
