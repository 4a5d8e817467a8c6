import { z } from "zod";
import { readId } from "../../core/ids";

/** A campaign's id must be a UUID, unlike other ids: any other text is answered with 422 instead of 404. */
export const CampaignParam = z.object({
  id: z
    .uuid()
    .transform(readId)
    .meta({
      type: "string",
      format: "uuid",
      param: { name: "id", in: "path" },
      example: "0199a0f2-9c41-7a55-b2e4-7d8e9f0a1b2c",
    }),
});
