import { z } from "zod";
import { maxCsvBytes } from "../../../core/contacts/csv";
import { movedNamesListed } from "../../../core/contacts/csv-moved";
import { publicId } from "../../../core/ids";
import { pathId } from "../../../http/params";
import { projectRoutes } from "../../../http/routes";
import { StartedJob, starting } from "../../../http/started-job";
import { dryRunImport } from "./dry-run";
import { getImport, importJson } from "./import-job";
import { ImportJob, ImportPlan, ImportQuery, ImportResult, UploadImport } from "./schema";
import { startImport } from "./start";

export const imports = projectRoutes("Contacts");

imports.post(
  "/contacts/import",
  {
    id: "importContacts",
    summary: "Import contacts from a CSV file",
    description: `The first row names the columns, separated by commas, semicolons or tabs. \`email\` is required, in upper or lower
case; all other columns become \`data.<column>\`. The import drops \`id\`, \`subscribed\`, \`createdAt\`, \`updatedAt\`, the URLs
of recipients' pages and the other reserved keys of \`data\`, and names them in \`droppedColumns\`; it also drops columns
without a name. Two columns with the same name are refused.

Spaces around a cell are removed. An empty cell leaves the stored value unchanged. \`true\`, \`false\`, \`yes\` and \`no\` become
booleans, and plain numbers become numbers; \`007\`, \`+5\`, \`1e5\` and numbers that are too large stay text. Cells beyond the
header are ignored.

By default, new contacts are subscribed, **even those with a no in the column \`subscribed\`**, and existing contacts keep
their subscription; the row merges into their data. The job's \`warnings\` count rows that say no, or neither yes nor no,
and opt-outs in a column with another name, such as \`unsubscribed\`, \`opted_out\` or \`status\`, which is imported as data.

With the form field \`subscribed=column\`, the file's column \`subscribed\` decides who is subscribed, so people who have
unsubscribed elsewhere stay unsubscribed: \`true\`, \`yes\`, \`1\` or \`false\`, \`no\`, \`0\`, in upper or lower case. A row with any
other value, or none, is skipped (\`invalid_subscribed\`). Existing contacts are subscribed or unsubscribed too, even people
who had opted out: each real change records \`contact.subscribed\` or \`contact.unsubscribed\`, and ends a snooze.

With the form field \`columns=all\`, for contacts from another system, the import also takes these columns:
${movedNamesListed}. A time is a date, or a time in UTC unless it has a zone; \`topics\` are the slugs of all topics that the
contact is in, such as \`news|offers\`. A row with \`optedOutAt\` is unsubscribed and opted out, regardless of its
\`subscribed\`. Values that an existing contact already has are kept, except \`optedOutAt\` and \`topics\`. An invalid cell
skips its row.

The form field \`mapping\` says what columns become, as JSON: \`{"E-mail address": "email", "Plan": "data.plan", "Notes": null}\`.
A column becomes \`email\` or a key of \`data\` (\`data.plan\`, or just \`plan\`); \`null\` drops it. If a column becomes
\`subscribed\`, or one of ${movedNamesListed}, you need no \`subscribed=column\` or \`columns=all\` for it. A column that the
file does not have, a reserved name, or two columns for one field is a 422.

Send a larger file in parts: see \`POST /contacts/imports\`.

With \`?dryRun=true\` nothing is stored: the answer shows the first rows as contacts, what each column becomes, and how many
rows repeat an address, cannot be imported, or contain an opt-out.

A file that is not UTF-8, has no \`email\` column or has faulty quotes imports nothing: the job is \`failed\`, with a \`reason\`.
So is a file without a column \`subscribed\` that the form asks for. A dry run answers 422 with the reason.`,
    bucket: "contacts",
    maxBody: maxCsvBytes + 64 * 1024,
    query: ImportQuery,
    form: UploadImport,
    ok: { schema: ImportPlan, description: "The plan of the import, with `dryRun=true`." },
    accepted: starting(StartedJob, ImportResult),
  },
  async (ctx, { query, form }, c) => {
    const { file, subscribed, columns, mapping } = form;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const asked = { takesSubscribed: subscribed === "column", takesAll: columns === "all", mapping };
    if (query.dryRun === "true") return dryRunImport(ctx, bytes, asked);
    const jobId = await startImport(ctx, bytes, asked);
    return c.json({ jobId: publicId(jobId), status: "queued" as const }, 202);
  },
);

imports.get(
  "/contacts/import/{jobId}",
  {
    id: "getImport",
    summary: "Get the progress of an import",
    params: z.object({ jobId: pathId("jobId") }),
    ok: ImportJob,
  },
  async (ctx, { params }) => importJson(await getImport(ctx, params.jobId)),
);
