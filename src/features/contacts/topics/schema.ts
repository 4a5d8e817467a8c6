import { z } from "zod";
import { maxTopics } from "../../../core/topics";

const example = { topics: { "product-news": true, offers: false } };

export const ContactTopics = z
  .object({
    topics: z
      .record(z.string(), z.boolean())
      .meta({ description: "Every topic of the project, by slug. True if the contact is in the topic." }),
  })
  .meta({ id: "ContactTopics", example });

export const ChooseTopics = z
  .object({
    topics: z
      .record(z.string(), z.boolean())
      .refine((topics) => Object.keys(topics).length <= maxTopics, {
        message: `At most ${maxTopics} topics`,
        params: { code: "too_big" },
      })
      .meta({
        description: "The topics to join (true) or leave (false), by slug. Topics that you leave out do not change.",
      }),
  })
  .meta({ id: "ChooseTopics", example: { topics: { offers: false } } });
export type ChooseTopics = z.infer<typeof ChooseTopics>;
