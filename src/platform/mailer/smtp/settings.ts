import { z } from "zod";
import { isLoopback } from "../../../core/dns";
import { normalizeEmail } from "../../../core/mail/address";
import { optionalText, unreadable } from "../../settings";
import { defineSettings } from "../provider";

export interface SmtpSettings {
  host: string;
  port: number;
  /** "starttls" begins unencrypted and requires the server's STARTTLS; "tls" is encrypted from the first byte. */
  security: "tls" | "starttls" | "none";
  login: { user: string; password: string } | null;
  /** The envelope sender, which gets the bounces; null if each email uses its own sender. */
  returnPath: string | null;
}

const usualPort = 587;
const implicitTlsPort = 465;

export const smtpSettings = defineSettings({
  settings: {
    SMTP_HOST: optionalText,
    SMTP_PORT: z.coerce
      .number()
      .int()
      .min(1)
      .max(65_535)
      .refine((port) => port !== 25, "Workers may not connect to port 25: use the relay's submission port, 587 or 465")
      .default(usualPort),
    SMTP_SECURITY: z.enum(["", "tls", "starttls", "none"]).default(""),
    SMTP_USER: optionalText,
    SMTP_PASSWORD: optionalText,
    SMTP_RETURN_PATH: optionalText.refine(
      (address) => address === null || normalizeEmail(address) !== null,
      "Must be an email address",
    ),
  },
  needs: ["SMTP_HOST"],
  read(values): SmtpSettings | null {
    const { SMTP_HOST: host, SMTP_PORT: port, SMTP_USER: user, SMTP_PASSWORD: password } = values;
    if (host === null) return null;
    if ((user === null) !== (password === null)) throw unreadable("SMTP_USER and SMTP_PASSWORD: set both, or neither");
    const security = values.SMTP_SECURITY || (port === implicitTlsPort ? "tls" : "starttls");
    if (security === "none" && !isLoopback(host)) {
      throw unreadable(
        "SMTP_SECURITY: none is only for a relay on this machine, because it sends mail and password unencrypted",
      );
    }
    const login = user === null || password === null ? null : { user, password };
    return { host, port, security, login, returnPath: values.SMTP_RETURN_PATH };
  },
});
