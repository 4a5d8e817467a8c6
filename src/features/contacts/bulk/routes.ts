import { z } from "zod";
import { publicId } from "../../../core/ids";
import { accepted, body, createRoute, errors, ok } from "../../../http/define";
import { pathId } from "../../../http/params";
import { createRouter } from "../../../http/router";
import { StartedJob } from "../../../http/started-job";
import { bulkJson, getBulk } from "./bulk-job";
import { foreignNamesOfBulk } from "./foreign-names";
import { BulkJob, type BulkOperation, BulkRequest } from "./schema";
import { startBulk } from "./start";

export const bulk = createRouter();
const tags = ["Contacts"];

function operationOf(operation: BulkOperation, operationId: string, summary: string, description: string) {
  const route = createRoute({
    method: "post",
    path: `/contacts/bulk-${operation}`,
    policy: { bucket: "contacts" },
    operationId,
    tags,
    summary,
    description: `${description} Takes at most 1,000 contacts and runs in the background: poll \`GET /contacts/bulk/{jobId}\`.`,
    foreignNames: foreignNamesOfBulk,
    request: body(BulkRequest),
    responses: { ...accepted(StartedJob), ...errors(400, 403, 413, 422) },
  });
  bulk.openapi(route, async (c) => {
    const jobId = await startBulk(c.var.ctx, { operation, contactIds: c.req.valid("json") });
    return c.json({ jobId: publicId(jobId), status: "queued" as const }, 202);
  });
}

operationOf(
  "subscribe",
  "bulkSubscribe",
  "Subscribe many contacts",
  "Each contact that was not subscribed emits `contact.subscribed`. A suppressed address is subscribed too, but still gets no mail.",
);

operationOf(
  "unsubscribe",
  "bulkUnsubscribe",
  "Unsubscribe many contacts",
  "Each contact that was subscribed emits `contact.unsubscribed`.",
);

operationOf("delete", "bulkDelete", "Delete many contacts", "Erases each contact, as `DELETE /contacts/{id}` does.");

const get = createRoute({
  method: "get",
  path: "/contacts/bulk/{jobId}",
  operationId: "getBulk",
  tags,
  summary: "Get the progress of a bulk operation",
  request: { params: z.object({ jobId: pathId("jobId") }) },
  responses: { ...ok(BulkJob), ...errors(404) },
});

bulk.openapi(get, async (c) => c.json(bulkJson(await getBulk(c.var.ctx, c.req.valid("param").jobId)), 200));
