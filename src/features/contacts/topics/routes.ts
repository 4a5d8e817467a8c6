import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { ChooseTopics, ContactTopics } from "./schema";
import { chooseTopics, contactTopicsJson, getContactTopics } from "./topics";

export const contactTopics = projectRoutes("Topics");

contactTopics.get(
  "/contacts/{id}/topics",
  {
    id: "getContactTopics",
    summary: "Get the topics of a contact",
    description:
      "Returns every topic of the project with the contact's choice, or else the topic's " + "`defaultSubscribed`.",
    params: IdParam,
    ok: ContactTopics,
  },
  async (ctx, { params }) => contactTopicsJson(await getContactTopics(ctx, params.id)),
);

contactTopics.put(
  "/contacts/{id}/topics",
  {
    id: "chooseContactTopics",
    summary: "Have a contact join or leave topics",
    description:
      "Changes only the topics that you name; 422 for an unknown slug. The answer has all topics of the " +
      "project. Each real change records `contact.topic_joined` or `contact.topic_left` with `{ topic }`. " +
      "A contact that is not subscribed gets no mail of any topic, even one that it joins.",
    bucket: "contacts",
    params: IdParam,
    body: ChooseTopics,
    ok: ContactTopics,
  },
  async (ctx, { params, body }) => contactTopicsJson(await chooseTopics(ctx, params.id, body)),
);
