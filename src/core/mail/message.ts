import type { JsonObject } from "../json";
import type { Address } from "./address";
import type { Attachment } from "./attachments";
import type { EmailType } from "./status";

/**
 * The maximum length of a subject in characters, before and after rendering (RFC 5322 section 2.1.1: the longest line).
 */
export const maxSubjectLength = 998;

/** The provider's lanes are separate, so that a campaign never delays a password reset. */
export type Lane = "transactional" | "campaign";

/** The contact's data at the time of the mail. The contact's id is in the email's row. */
export interface ContactSnapshot {
  email: string;
  subscribed: boolean;
  data: JsonObject;
  /** Whether the contact has only been named in calls with a public key, and has not confirmed. */
  isStranger?: boolean;
}

/** A complete email: everything a provider needs, nothing left to render. */
export interface Message {
  /** The UUID of the email: the provider's idempotency key, and the first part of the Message-ID. */
  emailId: string;
  /** The project's UUID. */
  projectId: string;
  projectNumber: number;
  /** The type is needed because some providers send marketing mail separately. */
  type: EmailType;
  from: Address;
  to: Address;
  replyTo: Address | null;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: Attachment[];
  /** When the mail was accepted. The Date header shows this time, so the header is the same on every attempt. */
  date: Date;
}
