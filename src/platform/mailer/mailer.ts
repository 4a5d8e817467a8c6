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
  /**
   * Whether this call created the domain in the provider's account. We must not remove a domain that was there before.
   */
  isNew: boolean;
}

/**
 * Sends mail and registers domains at one provider. No code outside the provider's folder knows which provider is in
 * use.
 */
export interface Mailer extends Abilities {
  name: string;
  /**
   * Hands over up to `mailsPerCall` emails in one call, and returns a receipt for each. `key` is the id of the call; a
   * repeat has the same key. Throws when no answer arrives, in which case the emails may have been sent.
   */
  deliver(messages: readonly Message[], key: string): Promise<Receipt[]>;
  /**
   * Looks up which emails of a call the provider has, after the answer to the call was lost. Returns a map from the
   * emails' public ids to the provider's message ids. Throws unless the provider gives a complete answer. Defined only
   * for providers that store accepted mail and can search it by the id of our call.
   */
  lookUp?(key: string): Promise<ReadonlyMap<string, string>>;
  /** Registers a domain. It may be registered already, because all projects share the account. */
  addDomain(domain: string): Promise<AddedDomain>;
  /**
   * Returns the current state of a domain, after the provider has checked it again. Returns null when the provider does
   * not know the domain.
   */
  domainStatus(domain: string): Promise<SenderDomain | null>;
  /** Removes a domain for every project of the installation. An unknown domain is not an error. */
  removeDomain(domain: string): Promise<void>;
}
