import { body, created, createRoute, errors, noContent, ok } from "../../http/define";
import { CursorQuery, IdParam } from "../../http/params";
import { createRouter } from "../../http/router";
import { createTopic, tooManyTopics } from "./create";
import { deleteTopic, topicInUse } from "./delete";
import { foreignNamesOfTopic } from "./foreign-names";
import { listTopics } from "./list";
import { CreateTopic, Topic, TopicPage, topicExample, UpdateTopic } from "./schema";
import { getTopic, topicJson } from "./topic";
import { updateTopic } from "./update";

export const topics = createRouter();
const tags = ["Topics"];

const list = createRoute({
  method: "get",
  path: "/topics",
  operationId: "listTopics",
  tags,
  summary: "List the topics, newest first",
  request: { query: CursorQuery },
  responses: { ...ok(TopicPage), ...errors(400, 422) },
});

topics.openapi(list, async (c) => c.json(await listTopics(c.var.ctx, c.req.valid("query")), 200));

const create = createRoute({
  method: "post",
  path: "/topics",
  operationId: "createTopic",
  refusals: () => [tooManyTopics()],
  tags,
  summary: "Create a topic",
  description:
    "A project has at most 50 topics. Mail belongs to a topic by its template's `topicId`: contacts who left the topic get " +
    "none of it. `subscribed: false` on a contact overrules all topics.",
  foreignNames: foreignNamesOfTopic,
  request: body(CreateTopic),
  responses: { ...created(Topic), ...errors(400, 403, 409, 413, 422) },
});

topics.openapi(create, async (c) => c.json(topicJson(await createTopic(c.var.ctx, c.req.valid("json"))), 201));

const get = createRoute({
  method: "get",
  path: "/topics/{id}",
  operationId: "getTopic",
  tags,
  summary: "Get a topic",
  request: { params: IdParam },
  responses: { ...ok(Topic), ...errors(404) },
});

topics.openapi(get, async (c) => c.json(topicJson(await getTopic(c.var.ctx, c.req.valid("param").id)), 200));

const update = createRoute({
  method: "patch",
  path: "/topics/{id}",
  operationId: "updateTopic",
  tags,
  summary: "Change a topic",
  description: "Only the fields sent change. The slug never does.",
  request: { params: IdParam, ...body(UpdateTopic) },
  responses: { ...ok(Topic), ...errors(400, 403, 404, 413, 422) },
});

topics.openapi(update, async (c) => {
  const row = await updateTopic(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(topicJson(row), 200);
});

const remove = createRoute({
  method: "delete",
  path: "/topics/{id}",
  operationId: "deleteTopic",
  refusals: () => [
    topicInUse({
      templates: [{ id: topicExample.id, name: "Newsletter" }],
      campaigns: [],
      segments: [],
      workflows: [],
    }),
  ],
  tags,
  summary: "Delete a topic",
  description:
    "409 while a template, a campaign that is DRAFT, SCHEDULED or SENDING, or a condition uses it. Links in mail of the " +
    "topic that is already out then unsubscribe from all marketing email.",
  request: { params: IdParam },
  responses: { ...noContent, ...errors(403, 404, 409) },
});

topics.openapi(remove, async (c) => {
  await deleteTopic(c.var.ctx, c.req.valid("param").id);
  return c.body(null, 204);
});
