import { normalizeEmail } from "../address";

/** An email that a provider received for us. Its content is not read. */
export interface ReceivedMail {
  /** The provider's id of the mail, which is the same when the notice is repeated. */
  receivedId: string;
  /** The address in the From header, which anybody can forge. */
  from: string;
  /** The addresses to which the mail was delivered. */
  delivered: string[];
  /** The addresses in the headers To and Cc. */
  written: string[];
  /** Whether the mail declares that no person wrote it (RFC 3834), as an "out of office" answer does. */
  isAutomatic: boolean;
}

interface Reported {
  id: string | null | undefined;
  from: string | null | undefined;
  delivered?: Written[] | null;
  written?: Written[] | null;
  headers?: { name: string; value: string }[] | null;
}

type Written = string | null | undefined;

/** The maximum number of addresses that are read. An email with more recipients is not part of a correspondence. */
const maxAddresses = 100;
const maxIdLength = 200;

/** Returns the received mail. Null without a usable sender or id. */
export function receivedMail({ id, from, delivered, written, headers }: Reported): ReceivedMail | null {
  const sender = addressIn(from);
  if (!id || id.length > maxIdLength || sender === null) return null;
  const submitted = headers?.find(({ name }) => name.toLowerCase() === "auto-submitted")?.value ?? "no";
  return {
    ...{ receivedId: id, from: sender, delivered: addressesIn(delivered), written: addressesIn(written) },
    isAutomatic: !/^\s*no\b/i.test(submitted),
  };
}

function addressesIn(several: Written[] | null | undefined): string[] {
  const addresses = (several ?? []).slice(0, maxAddresses).map(addressIn);
  return [...new Set(addresses.filter((address) => address !== null))];
}

const maxMailboxLength = 1_000;

/** Returns the address in `ada@example.com` or `Ada <ada@example.com>`. */
function addressIn(mailbox: Written): string | null {
  if (!mailbox || mailbox.length > maxMailboxLength) return null;
  const start = mailbox.lastIndexOf("<");
  const end = mailbox.indexOf(">", start);
  return normalizeEmail(start < 0 ? mailbox : mailbox.slice(start + 1, end < 0 ? mailbox.length : end));
}
