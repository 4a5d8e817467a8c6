import { IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { listContactSegments } from "./list";
import { ContactSegments } from "./schema";

export const contactSegments = projectRoutes("Contacts");

contactSegments.get(
  "/contacts/{id}/segments",
  {
    id: "listContactSegments",
    summary: "List the segments that a contact is in",
    description:
      "Returns the newest segment first. Static and tracked segments are found by their stored members, " +
      "all others by testing the contact as it is now.",
    params: IdParam,
    ok: ContactSegments,
  },
  (ctx, { params }) => listContactSegments(ctx, params.id),
);
