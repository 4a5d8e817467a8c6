import { z } from "zod";
import { readAddress } from "../../core/verification/address";

export const VerifyEmail = z
  .object({
    email: z
      .string()
      .transform((written, check) => {
        const address = readAddress(written);
        if (address) return address;
        const message = "Must be an email address such as ada@example.com";
        check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
        return z.NEVER;
      })
      .meta({ type: "string", format: "email", example: "ada@gnail.com" }),
  })
  .meta({ id: "VerifyEmail", example: { email: "ada@gnail.com" } });

export const EmailVerdict = z
  .object({
    success: z.literal(true),
    data: z.object({
      email: z
        .string()
        .meta({ description: "The address in lower case, with its domain in ASCII. It may be invalid." }),
      valid: z.boolean().meta({
        description:
          "Whether the address is well-formed, and its domain has name servers and accepts mail. " +
          "This does not say whether the mailbox exists.",
      }),
      isDisposable: z.boolean().meta({ description: "Whether the domain offers disposable mailboxes." }),
      isAlias: z
        .boolean()
        .meta({ description: "Whether the domain belongs to a service that forwards mail to another mailbox." }),
      isTypo: z.boolean().meta({ description: "Whether the domain looks misspelt. If so, see `suggestedEmail`." }),
      isPlusAddressed: z.boolean().meta({ description: "Whether the part before the @ has a `+tag`." }),
      isPersonalEmail: z
        .boolean()
        .meta({ description: "Whether the domain gives mailboxes to anyone, as gmail.com does." }),
      domainExists: z.boolean().meta({
        description:
          "Whether the domain has NS records. A subdomain must exist, and the registered domain above it must have NS records.",
      }),
      hasWebsite: z
        .boolean()
        .meta({ description: "Whether the domain has A or AAAA records. Does not affect `valid`." }),
      hasMxRecords: z
        .boolean()
        .meta({ description: "Whether the domain has MX records other than a null MX record, which refuses mail." }),
      suggestedEmail: z
        .string()
        .optional()
        .meta({ format: "email", description: "The address that was probably meant. Present if `isTypo` is true." }),
      reasons: z
        .array(z.string())
        .meta({ description: "Faults and warnings, one sentence each. Empty if there are none." }),
    }),
  })
  .meta({
    id: "EmailVerdict",
    example: {
      success: true,
      data: {
        email: "ada@gnail.com",
        valid: true,
        isDisposable: false,
        isAlias: false,
        isTypo: true,
        isPlusAddressed: false,
        isPersonalEmail: false,
        domainExists: true,
        hasWebsite: true,
        hasMxRecords: true,
        suggestedEmail: "ada@gmail.com",
        reasons: ["The domain looks misspelt: ada@gmail.com was probably meant."],
      },
    },
  });
