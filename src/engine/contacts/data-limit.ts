import { dataTooBig } from "../../core/contacts/data";
import { Invalid } from "../../core/errors";
import type { StatementRefusal } from "../../db/statement";

/**
 * The size of a contact's data is only known after the merge: the table's CHECK refuses it, and with it the whole
 * batch.
 */
export const refuseLargeData: StatementRefusal = {
  on: { check: "contacts_data_size" },
  refuse: () => new Invalid([{ field: "data", code: "too_big", message: dataTooBig }]),
};
