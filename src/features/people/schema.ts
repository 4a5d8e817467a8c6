import { z } from "zod";
import { Email } from "../../core/mail/address-input";
import { Warnings } from "../../core/warning";

export const PrintLink = z
  .object({
    email: Email.optional().meta({
      description: "The person whom the link signs in. Without it, its reader says who they are, and becomes an owner.",
    }),
  })
  .meta({ id: "PrintLink", example: { email: "ada@example.com" } });

export const PrintedLinkAnswer = z.object({ url: z.string(), expiresAt: z.iso.datetime() }).meta({
  id: "PrintedLink",
  example: {
    url: `https://mail.acme.example/console/session/link/${"5f".repeat(32)}`,
    expiresAt: "2026-02-01T09:00:00.000Z",
  },
});

const personExample = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  email: "ada@example.com",
  name: "Ada",
  locale: null,
  isOwner: true,
  createdAt: "2026-01-31T09:00:00.000Z",
  lastSeenAt: "2026-01-31T10:00:00.000Z",
};

export const Person = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    locale: z.string().nullable(),
    isOwner: z.boolean(),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().nullable().meta({ description: "Within an hour. Null before the first sign-in." }),
  })
  .meta({ id: "Person", example: personExample });

export const PersonPage = z
  .object({
    data: z.array(Person),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "PersonPage", example: { data: [personExample], cursor: "", hasMore: false, total: 1 } });
