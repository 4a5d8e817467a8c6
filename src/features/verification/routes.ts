import { foreignNamesOfAddress } from "../../core/mail/foreign-address";
import { body, createRoute, errors, ok } from "../../http/define";
import { createRouter } from "../../http/router";
import { EmailVerdict, VerifyEmail } from "./schema";
import { verifyEmail } from "./verify";

export const verification = createRouter();

const verify = createRoute({
  method: "post",
  path: "/v1/verify",
  policy: { isRead: true },
  operationId: "verifyEmail",
  tags: ["Verification"],
  summary: "Check whether an email address can receive mail",
  description:
    "Checks the syntax of the address, the DNS records of its domain, and lists of disposable and personal domains. " +
    "Only syntax and DNS can make an address invalid; the rest are flags. No mail is sent.",
  foreignNames: foreignNamesOfAddress,
  request: body(VerifyEmail),
  responses: { ...ok(EmailVerdict), ...errors(400, 413, 422, 503) },
});

verification.openapi(verify, async (c) => {
  const data = await verifyEmail(c.var.ctx, c.req.valid("json").email);
  return c.json({ success: true as const, data }, 200);
});
