import { createRoute, errors, ok } from "../../../http/define";
import { CursorQuery, IdParam } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { listContactExecutions } from "./list";
import { ContactExecutionPage } from "./schema";

export const contactExecutions = createRouter();

const list = createRoute({
  method: "get",
  path: "/contacts/{id}/executions",
  operationId: "listContactExecutions",
  tags: ["Contacts"],
  summary: "See where a contact is in its workflows",
  description: "Its executions in all workflows, newest first. An execution is listed until 90 days after its end.",
  request: { params: IdParam, query: CursorQuery },
  responses: { ...ok(ContactExecutionPage), ...errors(400, 404, 422) },
});

contactExecutions.openapi(list, async (c) =>
  c.json(await listContactExecutions(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
);
