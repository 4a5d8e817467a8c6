import { z } from "zod";
import { readId } from "../../core/ids";

/** Only campaign ids must be UUIDs: another id is a 422, not a 404. */
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
