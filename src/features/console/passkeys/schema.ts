import { z } from "zod";
import { fromBase64url } from "../../../core/base64url";
import { DisplayName } from "../../../core/mail/address-input";
import { Warnings } from "../../../core/warning";

const base64url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => fromBase64url(text) !== null, "Must be base64url without padding");

/** A credential id has at most 1,023 bytes, which are 1,364 characters of base64url. */
const CredentialId = base64url(1_364);
const Transports = z.array(z.string().max(32)).max(16);

const credentialId = "n3mKQmM0YV0q3r4YkV7hUQ";
const challenge = "AZ9Yw0Jm7qQx1y8w3k5vT2b6n4c0d8e2f6g1h5j9k3m7p1q5s9u3w";
const clientDataJSON = "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0";

const PasskeyName = DisplayName.refine((name) => name !== "", { message: "Must not be empty" }).meta({
  description: "The name by which the person recognises the passkey, such as that of the device.",
  example: "Ada's laptop",
});

const example = {
  id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  name: "Ada's laptop",
  credentialId,
  transports: ["internal", "hybrid"],
  isSynced: true,
  createdAt: "2026-01-31T09:00:00.000Z",
  lastUsedAt: null,
};

const fields = z.object({
  id: z.uuid(),
  name: z.string(),
  credentialId: z.string().meta({ description: "The authenticator's id for the passkey, in base64url." }),
  transports: z.array(z.string()).meta({ description: "How browsers reach the passkey, as they reported it." }),
  isSynced: z.boolean().meta({
    description: "Whether the passkey is backed up, so that the person's other devices have it, too.",
  }),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});

export const Passkey = fields.extend({ warnings: Warnings }).meta({ id: "Passkey", example });

export const Passkeys = z.object({ data: z.array(fields) }).meta({ id: "Passkeys", example: { data: [example] } });

export const RenamePasskey = z
  .object({ name: PasskeyName })
  .meta({ id: "RenamePasskey", example: { name: "Ada's laptop" } });

const Descriptor = z.object({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()),
});

export const RegistrationOptions = z
  .object({
    challenge: z.string().meta({ description: "Is valid once, within five minutes." }),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.number().int() })),
    timeout: z.number().int(),
    attestation: z.literal("none"),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    excludeCredentials: z.array(Descriptor).meta({ description: "The passkeys that the person already has." }),
  })
  .meta({
    id: "PasskeyRegistrationOptions",
    description: "Options for `navigator.credentials.create`, in the form that `parseCreationOptionsFromJSON` takes.",
    example: {
      challenge,
      rp: { id: "mail.acme.example", name: "Petrel" },
      user: { id: "AZmg8mweezqdVAyPbx8qEA", name: "ada@example.com", displayName: "Ada" },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      timeout: 300_000,
      attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      excludeCredentials: [],
    },
  });

export const SignInOptions = z
  .object({
    challenge: z.string().meta({ description: "Is valid once, within five minutes." }),
    rpId: z.string(),
    timeout: z.number().int(),
    userVerification: z.literal("required"),
    allowCredentials: z.array(Descriptor).meta({
      description: "Always empty: the authenticator finds the passkeys, and the answer reveals none.",
    }),
  })
  .meta({
    id: "PasskeySignInOptions",
    description: "Options for `navigator.credentials.get`, in the form that `parseRequestOptionsFromJSON` takes.",
    example: {
      challenge,
      rpId: "mail.acme.example",
      timeout: 300_000,
      userVerification: "required",
      allowCredentials: [],
    },
  });

const answerFields = { id: CredentialId, rawId: CredentialId, type: z.literal("public-key") };
const answerExample = { id: credentialId, rawId: credentialId, type: "public-key" as const };

const RegistrationAnswer = z
  .object({
    ...answerFields,
    response: z.object({
      clientDataJSON: base64url(8_192),
      attestationObject: base64url(32_768),
      transports: Transports.optional(),
    }),
  })
  .meta({ description: "The new credential, as its `toJSON()` returns it." });
export type RegistrationAnswer = z.infer<typeof RegistrationAnswer>;

export const AddPasskey = z.object({ name: PasskeyName, credential: RegistrationAnswer }).meta({
  id: "AddPasskey",
  example: {
    name: "Ada's laptop",
    credential: {
      ...answerExample,
      response: { clientDataJSON, attestationObject: "o2NmbXRkbm9uZQ", transports: ["internal"] },
    },
  },
});
export type AddPasskey = z.infer<typeof AddPasskey>;

const SignInAnswer = z
  .object({
    ...answerFields,
    response: z.object({
      clientDataJSON: base64url(8_192),
      authenticatorData: base64url(8_192),
      signature: base64url(4_096),
      userHandle: base64url(88).nullish(),
    }),
  })
  .meta({ description: "The credential's answer, as its `toJSON()` returns it." });
export type SignInAnswer = z.infer<typeof SignInAnswer>;

export const SignInByPasskey = z.object({ credential: SignInAnswer }).meta({
  id: "SignInByPasskey",
  example: {
    credential: {
      ...answerExample,
      response: { clientDataJSON, authenticatorData: "SZYN5YgOjGh0NBcP", signature: "MEUCIQDq", userHandle: null },
    },
  },
});
