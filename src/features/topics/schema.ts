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
    name: z.string().meta({ description: "Recipients see it on their pages." }),
    slug: z.string().meta({
      description:
        "Derived from the name at creation, then fixed. Conditions name the topic `topic.<slug>`. It is never used again.",
    }),
    description: z.string().nullable().meta({ description: "Recipients see it on their pages." }),
    defaultSubscribed: z.boolean().meta({ description: "Applies to contacts who never chose." }),
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
          "Default: true. With false, campaigns and workflows mail only contacts that joined; `POST /v1/send` mails all " +
          "but those that left.",
      }),
  })
  .meta({ id: "CreateTopic", example: { name: topicExample.name, description: topicExample.description } });
export type CreateTopic = z.infer<typeof CreateTopic>;

export const UpdateTopic = z
  .object({
    name: VisibleName.optional(),
    description,
    defaultSubscribed: z.boolean().optional().meta({
      description: "Applies at once to every contact that never chose, without events.",
    }),
  })
  .meta({ id: "UpdateTopic", example: { name: "News and offers" } });
export type UpdateTopic = z.infer<typeof UpdateTopic>;
