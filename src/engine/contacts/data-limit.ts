import { dataTooBig } from "../../core/contacts/data";
import { Invalid } from "../../core/errors";
import { isCheckViolation } from "../../db/conflicts";

/** The size of a contact's data is only known once it is merged: the table's CHECK refuses it, and the whole batch. */
export async function dataTooBigAsInvalid<T>(committed: Promise<T>): Promise<T> {
  try {
    return await committed;
  } catch (error) {
    if (!isCheckViolation(error, "contacts_data_size")) throw error;
    throw new Invalid([{ field: "data", code: "too_big", message: dataTooBig }]);
  }
}
