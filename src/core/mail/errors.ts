import { Conflict, Refusal } from "../errors";
import { iso } from "../time";

/** The project's marketing mail is paused, because too much of its mail bounced or drew complaints. */
export class SendingPaused extends Refusal {
  constructor({ reason, at }: { reason: string; at: number }) {
    super(`The marketing email of this project is paused: ${reason} Nothing was sent.`, {
      suggestion:
        "Remove the addresses that bounce, and mail only people who asked for it. Then ask the operator to lift the pause. " +
        "Transactional email is still sent.",
      details: { reason, at: iso(at) },
    });
  }
}

/** Returns the refusal of marketing mail that the provider of the installation does not accept. */
export function noCarrier(provider: string): Conflict {
  return new Conflict(
    `Marketing email cannot be sent here: the mail provider, ${provider}, does not accept it. Nothing was sent.`,
    {
      suggestion:
        "Ask the operator to set MAIL_PROVIDER_MARKETING to a provider that accepts it. Mail of type TRANSACTIONAL can be sent.",
      details: { reason: "marketing_not_carried", provider },
    },
  );
}

/** The domain of the sender's address is not a verified domain of the project. */
export class UnverifiedSender extends Refusal {
  constructor(domain: string) {
    super(`The sender domain ${domain} is not a verified domain of this project.`, {
      suggestion:
        "Add it with POST /domains, create the DNS records that it returns, and send from it once it is VERIFIED. It must be " +
        "a domain that you own: those of public mail providers cannot be verified.",
      // The API's contract fixes the code of this answer, so the details name the reason.
      details: { reason: "domain_not_verified", domain },
    });
  }
}

export class MonthlyLimitReached extends Refusal {
  constructor(limit: number) {
    super(`This call would exceed the project's limit of ${limit} emails a month. Nothing was sent.`, {
      suggestion: "Send to fewer recipients, wait for the next month (UTC), or ask the operator for a higher limit.",
      details: { monthlySendLimit: limit },
    });
  }
}

/** The project has reached its limit of campaigns that are SENDING. */
export class TooManySending extends Refusal {
  constructor(limit: number) {
    super(`${limit} campaigns of this project are SENDING, which is the maximum. Nothing was changed.`, {
      suggestion:
        "Wait until one of them is SENT, or cancel one. A campaign with a scheduledFor waits by itself, and starts when another one has ended.",
      details: { limit },
    });
  }
}
