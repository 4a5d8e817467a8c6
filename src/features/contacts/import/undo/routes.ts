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
    description: `You can undo an import for a day after it has ended. Contacts that it created are erased; contacts that it changed get
their earlier data and subscription back, and each change of subscription records \`contact.subscribed\` or
\`contact.unsubscribed\`. A contact stays as it is if its data or subscription has changed since, or if it was created by the
import and has mail or an event. Choices of topics are not undone.

The undo runs in the background: \`result\` of \`GET /jobs/{jobId}\` says how many contacts were \`removed\`, \`restored\` and
\`kept\`. A second call answers with the same job.`,
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
