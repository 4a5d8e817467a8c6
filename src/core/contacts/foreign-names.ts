import type { ForeignName } from "../foreign-names";

const names = ["firstName", "lastName", "name", "phone", "tags", "attributes", "properties"];

/** What other APIs have beside `data`, for calls that name one contact. */
export const foreignNamesOfContact: ForeignName[] = names.map((name) => ({
  name,
  advice: `Put it into data: fields of a contact are free, such as { "data": { "${name}": … } }`,
}));
