import type { DnsRecord } from "../../core/domains/records";
import type { Message } from "../../core/mail/message";
import type { Receipt } from "../../core/mail/receipt";

/** A sender domain as the provider sees it. */
export interface SenderDomain {
  verified: boolean;
  /** DNS records the provider asks for, beside our own. */
  records: DnsRecord[];
}

/** Who carries the mail. Each provider is one file; nothing outside of it knows which one is in use. */
export interface Mailer {
  name: string;
  /** For how long a second call with the same email id is refused or answered from memory; 0 when it never is. */
  idempotencyWindowMs: number;
  /** Hands one mail over. Throws when no answer comes back: the mail may be out all the same. */
  deliver(message: Message): Promise<Receipt>;
  /** A call without an effect, to learn whether the provider answers at all. Throws when it does not. */
  probe(): Promise<void>;
  addDomain(domain: string): Promise<SenderDomain>;
}
