import { z } from "zod";
import { wholeNumber } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { deleteField } from "./delete";
import { listFields } from "./list";
import { DeletedField, FieldList, FieldParam, FieldUsage, FieldValues } from "./schema";
import { fieldUsage } from "./usage";
import { fieldValues } from "./values";

export const fields = projectRoutes("Contacts");

fields.get(
  "/contacts/fields",
  {
    id: "listContactFields",
    summary: "List the fields of contacts",
    description:
      "Returns the standard fields, which every contact has, and the custom fields. A custom field is " +
      "listed from its first value until it is deleted.",
    ok: FieldList,
  },
  (ctx) => listFields(ctx),
);

const ValuesQuery = z.object({ limit: wholeNumber(100, 200) });

fields.get(
  "/contacts/fields/{field}/values",
  {
    id: "listContactFieldValues",
    summary: "List the distinct values of a field",
    description: "Arrays, objects and strings of more than 1,000 characters are left out.",
    params: FieldParam,
    query: ValuesQuery,
    ok: FieldValues,
  },
  (ctx, { params, query }) => fieldValues(ctx, params.field, query.limit),
);

fields.get(
  "/contacts/fields/{field}/usage",
  { id: "getContactFieldUsage", summary: "See what uses a field", params: FieldParam, ok: FieldUsage },
  (ctx, { params }) => fieldUsage(ctx, params.field),
);

fields.delete(
  "/contacts/fields/{field}",
  {
    id: "deleteContactField",
    summary: "Remove a custom field from every contact",
    description:
      "Conditions on the field no longer match. In a project of more than 10,000 contacts, a background " +
      "job removes the field, and its result says how many contacts had it. The job may also remove values " +
      "written while it runs.",
    bucket: "contacts",
    params: FieldParam,
    ok: DeletedField,
    accepted: starting(QueuedJob, DeletedField),
  },
  async (ctx, { params }, c) => {
    const done = await deleteField(ctx, params.field);
    return "jobId" in done ? c.json(done, 202) : done;
  },
);
