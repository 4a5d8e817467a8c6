import { type ForeignName, foreign } from "../../core/foreign-names";

/** The names that other APIs use for the parts of a topic. */
export const foreignNamesOfTopic: ForeignName[] = [
  { name: "slug", advice: "Leave it out: the slug is made from the name when the topic is created, and never changes" },
  ...foreign(["default_subscription", "defaultSubscription", "default"], {
    standsFor: "defaultSubscribed",
    advice: "Use defaultSubscribed, which is true or false",
  }),
];
