import type { DnsRecord } from "../../core/domains/records";
import type { Abilities } from "../../core/mail/abilities";
import type { Message } from "../../core/mail/message";
import type { Receipt } from "../../core/mail/receipt";

/** A sender domain as the provider sees it. */
export interface SenderDomain {
  verified: boolean;
  /** DNS records the provider asks for, beside our own. */
  records: DnsRecord[];
}

/** Who carries the mail. Each provider is one file; nothing outside of it knows which one is in use. */
export interface Mailer extends Abilities {
  name: string;
  /** Hands one mail over. Throws when no answer comes back: the mail may be out all the same. */
  deliver(message: Message): Promise<Receipt>;
  /** A call without an effect, to learn whether the provider answers at all. Throws when it does not. */
  probe(): Promise<void>;
  /** Registers a domain, or finds it registered already: the account is shared by all projects. */
  addDomain(domain: string): Promise<SenderDomain>;
  /** How it stands with a domain now, after the provider has looked again. Null when it does not know the domain. */
  domainStatus(domain: string): Promise<SenderDomain | null>;
  /** Forgets a domain, for every project of the installation; one that it does not know is no fault. */
  removeDomain(domain: string): Promise<void>;
}
