import type { SQL } from "drizzle-orm";
import type { DataChange } from "../../core/contacts/data";
import type { Id } from "../../core/ids";
import type { Tail } from "../../db/ids";
import type { ContactRow } from "../../db/tables";

/** The effect of one call on the contacts it names. */
export interface ContactChange {
  /** Distinct addresses, each with the id that a new contact gets. */
  contacts: { id: Id; email: string }[];
  data: DataChange;
  /** The new subscription of existing contacts; null leaves it unchanged. */
  subscribed: boolean | null;
  /** The subscription of a new contact when the call does not set it. */
  subscribedByDefault: boolean;
  /** The source of a new contact. It also replaces `PUBLIC` on a contact that a browser created. */
  source: ContactRow["source"];
  /**
   * How a call reacts when the merged data would be too large: "refuse" refuses the call, "keep" keeps the contact's
   * stored data.
   */
  whenFull: "refuse" | "keep";
  /** Nothing is written unless this condition holds. */
  onlyIf: SQL;
  /** The random tail that the ids of the subscription events share. The batch recognises its own commit by it. */
  tail?: Tail;
}
