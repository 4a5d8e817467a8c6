import { z } from "zod";
import { Description, VisibleName } from "../../core/name";
import { Warnings } from "../../core/warning";

export const topicExample = {
  id: "0199a0f2-4c30-7a11-b2e4-7d8e9f0a1b2c",
  name: "Product news",
  slug: "product-news",
  description: "What is new, about once a month",
  defaultSubscribed: true,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

export const Topic = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: "The name of the topic, which recipients see on their pages." }),
    slug: z.string().meta({
      description:
        "Derived from the name when the topic is created, never changed, and never used again. Conditions " +
        "use it as `topic.<slug>`.",
    }),
    description: z.string().nullable().meta({ description: "A description that recipients see on their pages." }),
    defaultSubscribed: z.boolean().meta({ description: "Whether contacts who never chose are in the topic." }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Topic", example: topicExample });

export const TopicPage = z
  .object({
    data: z.array(Topic),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "TopicPage", example: { data: [topicExample], cursor: "", hasMore: false, total: 1 } });

const description = Description.nullish();

export const CreateTopic = z
  .object({
    name: VisibleName,
    description,
    defaultSubscribed: z
      .boolean()
      .nullish()
      .meta({
        description:
          "Whether contacts who never chose are in the topic. Default: true. With false, campaigns and " +
          "workflows mail only contacts who joined; `POST /v1/send` mails all but those who left.",
      }),
  })
  .meta({ id: "CreateTopic", example: { name: topicExample.name, description: topicExample.description } });
export type CreateTopic = z.infer<typeof CreateTopic>;

export const UpdateTopic = z
  .object({
    name: VisibleName.optional(),
    description,
    defaultSubscribed: z.boolean().optional().meta({
      description: "Applies at once to every contact who never chose, without events.",
    }),
  })
  .meta({ id: "UpdateTopic", example: { name: "News and offers" } });
export type UpdateTopic = z.infer<typeof UpdateTopic>;
