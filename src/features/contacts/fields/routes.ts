import { z } from "zod";
import { accepted, createRoute, errors, ok } from "../../../http/define";
import { wholeNumber } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { QueuedJob } from "../../../http/started-job";
import { deleteField } from "./delete";
import { listFields } from "./list";
import { DeletedField, FieldList, FieldParam, FieldUsage, FieldValues } from "./schema";
import { fieldUsage } from "./usage";
import { fieldValues } from "./values";

export const fields = createRouter();
const tags = ["Contacts"];

const list = createRoute({
  method: "get",
  path: "/contacts/fields",
  operationId: "listContactFields",
  tags,
  summary: "List the fields of contacts",
  description:
    "Every contact has the standard fields. A custom field is listed from its first value until it is deleted.",
  responses: { ...ok(FieldList), ...errors() },
});

fields.openapi(list, async (c) => c.json(await listFields(c.var.ctx), 200));

const ValuesQuery = z.object({ limit: wholeNumber(100, 200) });

const values = createRoute({
  method: "get",
  path: "/contacts/fields/{field}/values",
  operationId: "listContactFieldValues",
  tags,
  summary: "List the distinct values of a field",
  description: "Arrays, objects and texts of more than 1,000 characters are left out.",
  request: { params: FieldParam, query: ValuesQuery },
  responses: { ...ok(FieldValues), ...errors(404, 422) },
});

fields.openapi(values, async (c) => {
  const { field } = c.req.valid("param");
  return c.json(await fieldValues(c.var.ctx, field, c.req.valid("query").limit), 200);
});

const usage = createRoute({
  method: "get",
  path: "/contacts/fields/{field}/usage",
  operationId: "getContactFieldUsage",
  tags,
  summary: "See what uses a field",
  request: { params: FieldParam },
  responses: { ...ok(FieldUsage), ...errors(404, 422) },
});

fields.openapi(usage, async (c) => c.json(await fieldUsage(c.var.ctx, c.req.valid("param").field), 200));

const remove = createRoute({
  method: "delete",
  path: "/contacts/fields/{field}",
  policy: { bucket: "contacts" },
  operationId: "deleteContactField",
  tags,
  summary: "Remove a custom field from every contact",
  description:
    "Conditions on the field stop matching. With more than 10,000 contacts a background job removes it, and the job's " +
    "result says how many contacts had it. Values written to the field while the job runs may be removed too.",
  request: { params: FieldParam },
  responses: { ...ok(DeletedField), ...accepted(QueuedJob), ...errors(403, 404, 422) },
});

fields.openapi(remove, async (c) => {
  const done = await deleteField(c.var.ctx, c.req.valid("param").field);
  return "jobId" in done ? c.json(done, 202) : c.json(done, 200);
});
