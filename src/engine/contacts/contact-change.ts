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
  /** Null leaves the subscription of existing contacts unchanged. */
  subscribed: boolean | null;
  /** The subscription of a new contact when the call does not set it. */
  subscribedByDefault: boolean;
  /** The source of a new contact. It also replaces `PUBLIC` on a contact that a browser created. */
  source: ContactRow["source"];
  /**
   * The reaction to merged data that would be too large: "refuse" refuses the call, "keep" leaves the contact's stored
   * data as it is.
   */
  whenFull: "refuse" | "keep";
  /** The condition for writing anything at all. */
  onlyIf: SQL;
  /** The last part of the ids of flips' events. */
  tail?: Tail;
}
