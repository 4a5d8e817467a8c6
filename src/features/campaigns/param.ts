import { z } from "zod";
import { readId } from "../../core/ids";

/** Only a campaign's id must be a UUID: for any other text, the answer is 422 and not 404. */
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
