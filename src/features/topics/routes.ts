import { CursorQuery, IdParam } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { createTopic, tooManyTopics } from "./create";
import { deleteTopic, topicInUse } from "./delete";
import { foreignNamesOfTopic } from "./foreign-names";
import { listTopics } from "./list";
import { CreateTopic, Topic, TopicPage, topicExample, UpdateTopic } from "./schema";
import { getTopic, topicJson } from "./topic";
import { updateTopic } from "./update";

export const topics = projectRoutes("Topics");

topics.get(
  "/topics",
  { id: "listTopics", summary: "List the topics, newest first", query: CursorQuery, ok: TopicPage },
  (ctx, { query }) => listTopics(ctx, query),
);

topics.post(
  "/topics",
  {
    id: "createTopic",
    summary: "Create a topic",
    description:
      "A project may have at most 50 topics. Mail belongs to a topic by its template's `topicId`: contacts " +
      "who left the topic get none of this email. `subscribed: false` on a contact overrules all topics.",
    body: CreateTopic,
    created: Topic,
    refusals: () => [tooManyTopics()],
    foreignNames: foreignNamesOfTopic,
  },
  async (ctx, { body }) => topicJson(await createTopic(ctx, body)),
);

topics.get(
  "/topics/{id}",
  { id: "getTopic", summary: "Get a topic", params: IdParam, ok: Topic },
  async (ctx, { params }) => topicJson(await getTopic(ctx, params.id)),
);

topics.patch(
  "/topics/{id}",
  {
    id: "updateTopic",
    summary: "Change a topic",
    description: "Changes only the fields that you send. The slug never changes.",
    params: IdParam,
    body: UpdateTopic,
    ok: Topic,
  },
  async (ctx, { params, body }) => topicJson(await updateTopic(ctx, params.id, body)),
);

topics.delete(
  "/topics/{id}",
  {
    id: "deleteTopic",
    summary: "Delete a topic",
    description:
      "409 while a template, a campaign that is DRAFT, SCHEDULED or SENDING, or a condition uses the " +
      "topic. The unsubscribe links in the topic's mail that is already out then unsubscribe from all " +
      "marketing email.",
    params: IdParam,
    refusals: () => [
      topicInUse({
        templates: [{ id: topicExample.id, name: "Newsletter" }],
        campaigns: [],
        segments: [],
        workflows: [],
      }),
    ],
  },
  (ctx, { params }) => deleteTopic(ctx, params.id),
);
