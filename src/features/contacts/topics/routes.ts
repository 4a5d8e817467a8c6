import { body, createRoute, errors, ok } from "../../../http/define";
import { IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { ChooseTopics, ContactTopics } from "./schema";
import { chooseTopics, contactTopicsJson, getContactTopics } from "./topics";

export const contactTopics = createRouter();
const tags = ["Topics"];

const get = createRoute({
  method: "get",
  path: "/contacts/{id}/topics",
  operationId: "getContactTopics",
  tags,
  summary: "Get the topics of a contact",
  description: "Every topic of the project: what the contact chose, or else the topic's `defaultSubscribed`.",
  request: { params: IdParam },
  responses: { ...ok(ContactTopics), ...errors(404) },
});

contactTopics.openapi(get, async (c) => {
  const topics = await getContactTopics(c.var.ctx, c.req.valid("param").id);
  return c.json(contactTopicsJson(topics), 200);
});

const choose = createRoute({
  method: "put",
  path: "/contacts/{id}/topics",
  policy: { bucket: "contacts" },
  operationId: "chooseContactTopics",
  tags,
  summary: "Have a contact join or leave topics",
  description:
    "Only the topics that are named change; a slug that no topic has is a 422. The answer has all of them. Each real " +
    "change records `contact.topic_joined` or `contact.topic_left` with `{ topic }`. A contact that is not subscribed " +
    "gets no mail of any topic, whatever it joins.",
  request: { params: IdParam, ...body(ChooseTopics) },
  responses: { ...ok(ContactTopics), ...errors(400, 403, 404, 413, 422) },
});

contactTopics.openapi(choose, async (c) => {
  const topics = await chooseTopics(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
  return c.json(contactTopicsJson(topics), 200);
});
