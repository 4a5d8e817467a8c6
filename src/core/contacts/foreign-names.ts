import type { ForeignName } from "../foreign-names";

const names = ["firstName", "lastName", "name", "phone", "tags"];

/** What other APIs call `data` itself. */
const wholes = ["attributes", "properties"];

/** What other APIs have beside `data`, for calls that name one contact. */
export const foreignNamesOfContact: ForeignName[] = [
  ...names.map((name) => ({
    name,
    advice: `Put it into data: fields of a contact are free, such as { "data": { "${name}": … } }`,
  })),
  ...wholes.map((name) => ({
    name,
    advice: 'Use data: fields of a contact are free, such as { "data": { "plan": … } }',
  })),
];
