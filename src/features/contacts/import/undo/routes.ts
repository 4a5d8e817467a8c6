import { z } from "zod";
import { publicId } from "../../../../core/ids";
import { pathId } from "../../../../http/params";
import { projectRoutes } from "../../../../http/routes";
import { StartedJob, starting } from "../../../../http/started-job";
import { importStillRuns, startUndo } from "./start";
import { UndoResult } from "./undo-job";

export const undoing = projectRoutes("Contacts");

undoing.post(
  "/contacts/import/{jobId}/undo",
  {
    id: "undoImport",
    grows: false,
    summary: "Undo an import",
    description: `Within a day after the import has ended. A contact that it created is erased, and one that it changed gets its old data and
subscription back; a change of subscription is recorded as \`contact.subscribed\` or \`contact.unsubscribed\`. Contacts that have been touched since
stay as they are: their data or subscription was changed, or, of a created one, there is mail or an event. So do choices of
topics.

It runs in the background: \`result\` of \`GET /jobs/{jobId}\` says how many were \`removed\`, \`restored\` and \`kept\`. A second call
answers with the same job.`,
    bucket: "contacts",
    params: z.object({ jobId: pathId("jobId") }),
    accepted: starting(StartedJob, UndoResult),
    refusals: () => [importStillRuns()],
  },
  async (ctx, { params }) => ({
    jobId: publicId(await startUndo(ctx, params.jobId)),
    status: "queued" as const,
  }),
);
