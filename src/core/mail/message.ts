import type { JsonObject } from "../json";
import type { Address } from "./address";
import type { Attachment } from "./attachments";
import type { EmailType } from "./status";

/** Characters of a subject, as it is given and once it is rendered (RFC 5322 section 2.1.1: the longest line). */
export const maxSubjectLength = 998;

/** Which of the provider's lanes a mail travels in: a campaign never stands before a password reset. */
export type Lane = "transactional" | "campaign";

/** A contact as a mail saw it. The email's own row has its id. */
export interface ContactSnapshot {
  email: string;
  subscribed: boolean;
  data: JsonObject;
}

/** A finished email as a value: everything a provider needs, nothing left to render. */
export interface Message {
  /** The UUID of the email: the provider's idempotency key, and the first part of the Message-ID. */
  emailId: string;
  /** The project's UUID. */
  projectId: string;
  projectNumber: number;
  /** Some providers carry marketing mail apart. */
  type: EmailType;
  from: Address;
  to: Address;
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: Attachment[];
  /** When the mail was accepted: its Date header, the same on every try. */
  date: Date;
}
