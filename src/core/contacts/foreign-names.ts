import { type ForeignName, foreign } from "../foreign-names";

const names = ["firstName", "lastName", "first_name", "last_name", "name", "phone", "tags"];

/** The names that other APIs use for `data` itself. */
const wholes = ["attributes", "properties", "merge_fields", "mergeFields", "custom_fields", "customFields", "traits"];

/** The fields that other APIs have in calls about one contact. */
export const foreignNamesOfContact: ForeignName[] = [
  ...names.map((name) => ({
    name,
    advice: `Put it into data, which takes any field, such as { "data": { "${name}": … } }`,
  })),
  ...foreign(wholes, { advice: 'Use data, which takes any field, such as { "data": { "plan": … } }' }),
  ...foreign(["email_address", "emailAddress", "address"], {
    standsFor: "email",
    advice: "Use email, the contact's address",
  }),
  ...foreign(["userId", "user_id", "anonymousId", "externalId", "external_id"], {
    standsFor: "email",
    advice: "Use email: contacts are identified by their address. Put an id of your own into data",
  }),
  ...foreign(["status", "unsubscribed"], { standsFor: "subscribed", advice: "Use subscribed, which is true or false" }),
  ...foreign(["list_ids", "listIds", "lists", "audience_id", "audienceId"], {
    advice: "Contacts do not belong to lists: use POST /segments/{id}/members, or PUT /contacts/{id}/topics",
  }),
  {
    name: "contacts",
    standsFor: "email",
    advice: "One call takes one contact, named by email. POST /contacts/import takes many, as CSV",
  },
];
