import { CursorQuery, IdParam } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { listContactExecutions } from "./list";
import { ContactExecutionPage } from "./schema";

export const contactExecutions = projectRoutes("Contacts");

contactExecutions.get(
  "/contacts/{id}/executions",
  {
    id: "listContactExecutions",
    summary: "See where a contact is in its workflows",
    description:
      "Returns the contact's executions in all workflows, newest first. An execution is listed until 90 " +
      "days after its end.",
    params: IdParam,
    query: CursorQuery,
    ok: ContactExecutionPage,
  },
  (ctx, { params, query }) => listContactExecutions(ctx, params.id, query),
);
