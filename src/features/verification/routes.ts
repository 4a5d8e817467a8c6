import { foreignNamesOfAddress } from "../../core/mail/foreign-address";
import { projectRoutes } from "../../http/routes";
import { EmailVerdict, VerifyEmail } from "./schema";
import { verifyEmail } from "./verify";

export const verification = projectRoutes("Verification");

verification.post(
  "/v1/verify",
  {
    id: "verifyEmail",
    summary: "Check whether an email address can receive mail",
    description:
      "Checks the syntax of the address, the DNS records of its domain, and lists of disposable and personal domains. " +
      "Only syntax and DNS can make an address invalid; the rest are flags. No mail is sent.",
    isRead: true,
    body: VerifyEmail,
    ok: EmailVerdict,
    also: [503],
    foreignNames: foreignNamesOfAddress,
  },
  async (ctx, { body }) => ({ success: true as const, data: await verifyEmail(ctx, body.email) }),
);
