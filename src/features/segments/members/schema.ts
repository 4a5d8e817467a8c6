import { z } from "zod";
import { LookedUp } from "../../contacts/schema";

/** The maximum number of addresses that one call may add or remove. */
const maxMembers = 500;

const Emails = z.array(LookedUp).min(1).max(maxMembers);

export const AddMembers = z
  .object({
    emails: Emails,
    createMissing: z.boolean().nullish().meta({
      description: "Whether to create a contact for each address without one. Default: false.",
    }),
    subscribed: z.boolean().nullish().meta({
      description: "Whether created contacts are subscribed. Default: true. Existing contacts do not change.",
    }),
  })
  .meta({ id: "AddMembers", example: { emails: ["ada@example.com", "bob@example.com"], createMissing: true } });
export type AddMembers = z.infer<typeof AddMembers>;

const NotFoundEmails = z
  .array(z.string())
  .meta({ description: "The addresses without a contact, as you sent them, without duplicates." });

export const AddedMembers = z
  .object({
    added: z.number().int(),
    created: z.number().int().meta({ description: "The number of contacts created. `added` includes them." }),
    alreadyMembers: z.number().int(),
    notFound: NotFoundEmails,
  })
  .meta({ id: "AddedMembers", example: { added: 2, created: 1, alreadyMembers: 0, notFound: [] } });

export const RemoveMembers = z
  .object({ emails: Emails })
  .meta({ id: "RemoveMembers", example: { emails: ["ada@example.com"] } });
export type RemoveMembers = z.infer<typeof RemoveMembers>;

export const RemovedMembers = z
  .object({
    removed: z
      .number()
      .int()
      .meta({ description: "The number of members removed. Contacts that were not members do not count." }),
    notFound: NotFoundEmails,
  })
  .meta({ id: "RemovedMembers", example: { removed: 1, notFound: [] } });
