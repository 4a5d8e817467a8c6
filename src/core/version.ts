import { z } from "zod";

/** The version of a resource, as answers show it. */
export const VersionNumber = z.number().int().meta({
  description: "Increases with every change. Send it in `If-Match` to change only the version that you have read.",
});
