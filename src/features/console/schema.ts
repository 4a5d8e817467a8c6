import { z } from "zod";
import { Email } from "../../core/mail/address-input";
import { projectRoles, roles } from "../../core/people/role";

export const AskForLink = z
  .object({ email: Email })
  .meta({ id: "AskForSignInMail", example: { email: "ada@example.com" } });

export const AskedForLink = z
  .object({
    mail: z
      .enum(["ON", "OFF"])
      .meta({ description: "OFF if this installation cannot send sign-in mail; `message` says why." }),
    message: z.string(),
  })
  .meta({
    id: "AskedForSignInMail",
    example: { mail: "ON", message: "If this address belongs to a person here, an email with a code is on its way." },
  });

export const TypedCode = z
  .object({
    code: z
      .string()
      .max(64)
      .meta({ description: "The code in the mail: eight letters and digits, in any case, with or without a dash." }),
  })
  .meta({ id: "SignInCode", example: { code: "K7QM-2XWD" } });

const someId = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";

const Session = z
  .object({
    id: z.uuid(),
    isCurrent: z.boolean().meta({ description: "Whether this is the session of this call." }),
    method: z
      .enum(["link", "code", "passkey", "access"])
      .meta({ description: "How the person signed in. `access` is Cloudflare Access." }),
    userAgent: z.string().nullable(),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().meta({ description: "When the session was last used, accurate to the hour." }),
    expiresAt: z.iso.datetime(),
  })
  .meta({
    id: "Session",
    example: {
      id: someId,
      isCurrent: true,
      method: "code",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/148.0",
      createdAt: "2026-01-31T09:00:00.000Z",
      lastSeenAt: "2026-01-31T10:00:00.000Z",
      expiresAt: "2026-03-02T10:00:00.000Z",
    },
  });

export const Sessions = z
  .object({ data: z.array(Session) })
  .meta({ id: "Sessions", example: { data: [Session.meta()?.example] } });

export const Me = z
  .object({
    person: z.object({
      id: z.uuid(),
      email: z.string(),
      name: z.string().nullable(),
      locale: z.string().nullable(),
      createdAt: z.iso.datetime(),
    }),
    isOwner: z
      .boolean()
      .meta({ description: "Whether the person is an owner of the installation, who may do everything." }),
    provedAt: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "When the person last signed in. Null after a sign-in by Cloudflare Access, which does not count as " +
          "a recent one.",
      }),
    hasProof: z.boolean().meta({
      description:
        "Whether `provedAt` is less than ten minutes ago. Otherwise, calls that need a recent sign-in are a 403.",
    }),
    projects: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        disabled: z.boolean(),
        testClock: z.boolean(),
        role: z
          .enum(roles)
          .meta({ description: `An owner of the installation, or one of ${projectRoles.join(", ")}.` }),
        maySend: z.boolean(),
        seesPersonalData: z.boolean(),
      }),
    ),
  })
  .meta({
    id: "SignedInPerson",
    example: {
      person: {
        id: someId,
        email: "ada@example.com",
        name: "Ada",
        locale: null,
        createdAt: "2026-01-31T09:00:00.000Z",
      },
      isOwner: false,
      provedAt: "2026-01-31T09:00:00.000Z",
      hasProof: true,
      projects: [
        {
          id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a11",
          name: "Acme",
          disabled: false,
          testClock: false,
          role: "editor",
          maySend: true,
          seesPersonalData: true,
        },
      ],
    },
  });
