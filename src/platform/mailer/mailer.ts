import type { DnsRecord } from "../../core/domains/records";
import type { Abilities } from "../../core/mail/abilities";
import type { Message } from "../../core/mail/message";
import type { Receipt } from "../../core/mail/receipt";

/** A sender domain as the provider sees it. */
export interface SenderDomain {
  verified: boolean;
  /** DNS records that the provider needs, in addition to our own. */
  records: DnsRecord[];
}

export interface AddedDomain extends SenderDomain {
  /** Whether this call created the domain in the provider's account. An older one is not ours to remove. */
  isNew: boolean;
}

/** Sends mail and registers domains at one provider. No code outside the provider's folder knows which one is in use. */
export interface Mailer extends Abilities {
  name: string;
  /**
   * Hands mails over in one call, at most `mailsPerCall`, and returns the receipt of each. `key` is the call's id, and
   * the same when it is repeated. Throws when no answer arrives; the mails may have been sent nevertheless.
   */
  deliver(messages: readonly Message[], key: string): Promise<Receipt[]>;
  /**
   * Looks up which mails of a call the provider has, after its answer was lost: the message id of each, by the email's
   * public id. Throws unless the provider gives a complete answer. Only providers that store accepted mail, and can
   * search it by our call's id, have this.
   */
  lookUp?(key: string): Promise<ReadonlyMap<string, string>>;
  /** Registers a domain, or finds it already registered: all projects share the account. */
  addDomain(domain: string): Promise<AddedDomain>;
  /**
   * The current state of a domain, after the provider has checked it again. Null when the provider does not know it.
   */
  domainStatus(domain: string): Promise<SenderDomain | null>;
  /** Removes a domain for every project of the installation. An unknown domain is no error. */
  removeDomain(domain: string): Promise<void>;
}
