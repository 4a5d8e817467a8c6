import { z } from "zod";
import { maxCsvBytes } from "../../../core/contacts/csv";
import { publicId } from "../../../core/ids";
import { accepted, createRoute, errors, ok } from "../../../http/define";
import { pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { StartedJob } from "../../jobs/schema";
import { getImport, importJson } from "./import-job";
import { ImportJob, UploadImport } from "./schema";
import { startImport } from "./start";

export const imports = createRouter();
const tags = ["Contacts"];

const start = createRoute({
  method: "post",
  path: "/contacts/import",
  policy: { bucket: "contacts", maxBody: maxCsvBytes + 64 * 1024 },
  operationId: "importContacts",
  tags,
  summary: "Import contacts from a CSV file",
  description: `The first row names the columns; they are parted by commas, semicolons or tabs. \`email\` is required, in any
case; all other columns become \`data.<column>\`. Dropped are \`id\`, \`subscribed\`, \`createdAt\`, \`updatedAt\`, the URLs of
recipients' pages, the other reserved keys of \`data\`, and columns without a name. Two columns of one name are refused.

Blanks around a cell are cut off, and an empty cell leaves what is stored. \`true\`, \`false\`, \`yes\` and \`no\` become booleans,
and plain numbers numbers; \`007\`, \`+5\`, \`1e5\` and what a number could not hold stay text. Cells beyond the header are dropped.

New contacts are subscribed; existing ones keep their subscription, and the row merges into their data. A file that is
not UTF-8, has no \`email\` column, or has quotes that do not match imports nothing: the job is \`failed\`, with a \`reason\`.`,
  request: {
    body: {
      required: true,
      content: { "multipart/form-data": { schema: UploadImport, example: UploadImport.meta()?.example } },
    },
  },
  responses: { ...accepted(StartedJob), ...errors(400, 403, 408, 413, 422, 503) },
});

imports.openapi(start, async (c) => {
  const { file } = c.req.valid("form");
  const jobId = await startImport(c.var.ctx, new Uint8Array(await file.arrayBuffer()));
  return c.json({ jobId: publicId(jobId), status: "queued" as const }, 202);
});

const get = createRoute({
  method: "get",
  path: "/contacts/import/{jobId}",
  operationId: "getImport",
  tags,
  summary: "Get how far an import is",
  request: { params: z.object({ jobId: pathId("jobId") }) },
  responses: { ...ok(ImportJob), ...errors(404) },
});

imports.openapi(get, async (c) => c.json(importJson(await getImport(c.var.ctx, c.req.valid("param").jobId)), 200));
