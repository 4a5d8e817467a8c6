import { type ForeignName, foreign } from "../../core/foreign-names";

/** Names that other APIs use for the condition of a segment. */
export const foreignNamesOfSegment: ForeignName[] = [
  ...foreign(["filter", "filters", "conditions", "rules", "query"], {
    standsFor: "condition",
    advice:
      'Use condition, such as { "logic": "AND", "groups": [{ "filters": [{ "field": "data.plan", "operator": "equals", "value": "pro" }] }] }',
  }),
  ...foreign(["emails", "contacts", "members", "static_segment"], {
    advice: 'Make a segment of type "STATIC" and add its members with POST /segments/{id}/members',
  }),
];

/** Names that other APIs use for the addresses of the members of a static segment. */
export const foreignNamesOfMembers: ForeignName[] = foreign(["contactIds", "contacts", "members", "ids", "email"], {
  standsFor: "emails",
  advice: "Use emails, a list of addresses",
});
