import { z } from "zod";
import { LanguageTag } from "../../core/languages/language-tag";
import { DisplayName, Email } from "../../core/mail/address-input";
import { projectRoles } from "../../core/people/role";
import { Warnings } from "../../core/warning";

export const PrintLink = z
  .object({
    email: Email.optional().meta({
      description:
        "The address of the person whom the link signs in. Without it, whoever opens the link enters an " +
        "address and becomes an owner.",
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

export const Invitation = z
  .object({
    mail: z
      .enum(["ON", "OFF"])
      .meta({ description: "`OFF` if this installation cannot send invitations: `message` says why." }),
    message: z.string(),
  })
  .meta({ id: "Invitation", example: { mail: "ON", message: "The invitation is on its way." } });

/** The name and language that people choose for themselves. */
export const PersonName = DisplayName.nullable().meta({ type: ["string", "null"] });
export const PersonLocale = LanguageTag.nullable().meta({
  description: "The language in which the person sees the console, such as `en`.",
});

export const personExample = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  email: "ada@example.com",
  name: "Ada",
  locale: null,
  role: "owner" as const,
  createdAt: "2026-01-31T09:00:00.000Z",
  lastSeenAt: "2026-01-31T10:00:00.000Z",
};

const OwnerOrNull = z
  .union([z.literal("owner"), z.null()], {
    error: "Must be owner or null: to give a role in one project, use POST /admin/projects/{id}/people",
  })
  .meta({
    description: "`owner`: may do everything in the installation. Null: has only rights in single projects.",
  });

export const personFields = {
  id: z.uuid(),
  email: z.string(),
  name: z.string().nullable(),
  locale: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: "When the person was last active, accurate to the hour. Null before the first sign-in." }),
};

export const Person = z
  .object({ ...personFields, role: OwnerOrNull, warnings: Warnings })
  .meta({ id: "Person", example: personExample });

export const InvitePerson = z
  .object({
    email: Email,
    name: PersonName.optional(),
    locale: PersonLocale.optional(),
    role: OwnerOrNull.optional(),
  })
  .meta({ id: "InvitePerson", example: { email: "ada@example.com", name: "Ada", role: "owner" } });
export type InvitePerson = z.infer<typeof InvitePerson>;

export const InvitedPerson = Person.extend({ invitation: Invitation }).meta({
  id: "InvitedPerson",
  example: { ...personExample, lastSeenAt: null, invitation: Invitation.meta()?.example },
});

export const UpdatePerson = z
  .object({ name: PersonName, locale: PersonLocale, role: OwnerOrNull })
  .partial()
  .meta({ id: "UpdatePerson", example: { role: "owner" } });
export type UpdatePerson = z.infer<typeof UpdatePerson>;

export const memberFields = {
  role: z.enum(projectRoles),
  maySend: z.boolean().meta({
    description:
      "Whether an editor may send, or only write drafts for others to send. Always true for an admin or a viewer; " +
      "viewers never send.",
  }),
  seesPersonalData: z.boolean().meta({
    description:
      "Whether the person sees addresses, data and bodies. Can only be false for a viewer, who then sees " +
      "them masked.",
  }),
};

export const WholePerson = Person.extend({
  projects: z.array(z.object({ id: z.string(), name: z.string(), ...memberFields })).meta({
    description: "The projects that the person is a member of. An owner has access to all projects.",
  }),
}).meta({
  id: "PersonWithProjects",
  example: {
    ...personExample,
    role: null,
    projects: [
      {
        id: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
        name: "Acme",
        role: "editor",
        maySend: true,
        seesPersonalData: true,
      },
    ],
  },
});

export const PersonPage = z
  .object({
    data: z.array(Person.omit({ warnings: true })),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "PersonPage", example: { data: [personExample], cursor: "", hasMore: false, total: 1 } });
