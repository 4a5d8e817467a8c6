import { type ForeignName, foreign } from "../../core/foreign-names";
import { foreignNamesOfContent } from "../../core/mail/foreign-names";

export const foreignNamesOfTemplate: ForeignName[] = [
  ...foreignNamesOfContent,
  ...foreign(["topic", "topic_id"], { standsFor: "topicId", advice: "Use topicId, the id of a topic: GET /topics" }),
];
