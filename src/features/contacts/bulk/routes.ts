import { z } from "zod";
import { Invalid } from "../../../core/errors";
import { publicId } from "../../../core/ids";
import { pathId } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { StartedJob, starting } from "../../../http/started-job";
import type { Context } from "../../../platform/context";
import { bulkJson, getBulk } from "./bulk-job";
import { foreignNamesOfBulk } from "./foreign-names";
import { BulkJob, type BulkOperation, BulkRequest, BulkResult } from "./schema";
import { startBulk } from "./start";

export const bulk = projectRoutes("Contacts");

function operationOf(operation: BulkOperation, id: string, summary: string, description: string) {
  bulk.post(
    `/contacts/bulk-${operation}`,
    {
      id,
      summary,
      description:
        `${description} Send up to 1,000 ids in \`contactIds\`, or select contacts with \`matching\`. The ` +
        "operation runs in the background: poll `GET /contacts/bulk/{jobId}`.",
      bucket: "contacts",
      grows: false,
      needsProof: operation === "delete",
      body: BulkRequest,
      accepted: starting(StartedJob, BulkResult),
      partNames: { matching: ["condition", "search", "everybody"] },
      conditionNames: ["matching.condition"],
      foreignNames: foreignNamesOfBulk,
    },
    async (ctx, { body }) => {
      refuseUnread(ctx);
      const jobId = await startBulk(ctx, operation, body);
      return { jobId: publicId(jobId), status: "queued" as const };
    },
  );
}

/**
 * Refuses a call with an unknown field in `matching`. If the field were ignored, the call could change contacts that
 * the caller did not mean.
 */
function refuseUnread({ warnings }: Context): void {
  const unread = warnings.filter(({ field }) => field.startsWith("matching"));
  if (unread.length > 0) throw new Invalid(unread.map(({ field, message }) => ({ field, message, code: "custom" })));
}

operationOf(
  "subscribe",
  "bulkSubscribe",
  "Subscribe many contacts",
  "Records `contact.subscribed` for each contact that was not subscribed. A contact with a suppressed " +
    "address is subscribed too, but still gets no mail.",
);

operationOf(
  "unsubscribe",
  "bulkUnsubscribe",
  "Unsubscribe many contacts",
  "Records `contact.unsubscribed` for each contact that was subscribed.",
);

operationOf("delete", "bulkDelete", "Delete many contacts", "Erases each contact, as `DELETE /contacts/{id}` does.");

bulk.get(
  "/contacts/bulk/{jobId}",
  {
    id: "getBulk",
    summary: "Get the progress of a bulk operation",
    params: z.object({ jobId: pathId("jobId") }),
    ok: BulkJob,
  },
  async (ctx, { params }) => bulkJson(await getBulk(ctx, params.jobId)),
);
