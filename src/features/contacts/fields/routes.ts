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
      "Every contact has the standard fields. A custom field is listed from its first value until it is deleted.",
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
    description: "Arrays, objects and texts of more than 1,000 characters are left out.",
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
      "Conditions on the field stop matching. With more than 10,000 contacts a background job removes it, and the job's " +
      "result says how many contacts had it. Values written to the field while the job runs may be removed too.",
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
