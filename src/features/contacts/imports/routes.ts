import { z } from "zod";
import { publicId } from "../../../core/ids";
import { admitByLink } from "../../../http/admission";
import { IdParam, pathId } from "../../../http/params";
import { linkRoutes, projectRoutes } from "../../../http/routes";
import { StartedJob, starting } from "../../../http/started-job";
import { streamedBody } from "../../../http/streamed-body";
import { busy } from "../../../platform/memory-slots";
import { ImportPlan, ImportQuery, ImportResult } from "../import/schema";
import { beginUpload, fileTooLarge, maxPartBytes, tooManyOpen } from "./begin";
import { completeUpload, partsMissing, planUpload } from "./complete";
import { giveUpUpload } from "./give-up";
import { nothingSigns, openPartUrl } from "./part-url";
import {
  askedIn,
  BeginImport,
  CompleteImport,
  ImportPart,
  ImportPartQuery,
  ImportUpload,
  StoredImportPart,
} from "./schema";
import { storePart } from "./store-part";
import { alreadyComplete, findUpload, uploadJson } from "./upload";

export const uploads = projectRoutes("Contacts");
export const partUploads = linkRoutes("Contacts");

uploads.post(
  "/contacts/imports",
  {
    id: "beginImport",
    summary: "Begin the import of a CSV file of up to 100 MB",
    description: `Use it for a file that is too large for \`POST /contacts/import\`. The answer divides the file into parts of 5 MB, each with
a \`url\`:

1. \`PUT\` the bytes of each part to its \`url\`, in any order, several at once if you like. Send a part that failed again.
2. \`POST /contacts/imports/{id}/complete\` begins the import, and answers with its job.
3. \`GET /contacts/import/{jobId}\` shows the progress, and \`POST /contacts/import/{jobId}/undo\` undoes the import.

A \`url\` needs no key, so you can give it to another machine. It stores this one part in its announced size, until the
upload is complete or has expired, and gives access to nothing else.

The options are those of \`POST /contacts/import\`. You may cut the file anywhere, even in a row or a character. An upload
that is not complete within a day is deleted. A project may have five open uploads. With an \`Idempotency-Key\`, a repeat
begins no other upload, and gets the first answer again.`,
    bucket: "contacts",
    once: true,
    body: BeginImport,
    created: ImportUpload,
    refusals: () => [fileTooLarge(), tooManyOpen([]), nothingSigns()],
  },
  async (ctx, { body: { bytes, name, ...options } }) =>
    uploadJson(ctx, await beginUpload(ctx, { bytes, name, ...askedIn(options) })),
);

uploads.get(
  "/contacts/imports/{id}",
  {
    id: "getImportUpload",
    // A viewer is refused, because the answer contains URLs with which parts can be stored.
    role: "editor",
    summary: "Get an upload, and which of its parts have arrived",
    description:
      "Shows the `url` of each part again, so that another process can continue the upload. `url` is null " +
      "for a key that only reads.",
    params: IdParam,
    ok: ImportUpload,
    refusals: () => [nothingSigns()],
  },
  async (ctx, { params }, c) =>
    uploadJson(ctx, await findUpload(ctx, params.id), { hasUrls: c.get("key")?.kind !== "read" }),
);

partUploads.put(
  "/contacts/imports/{id}/parts/{number}",
  {
    id: "uploadImportPart",
    summary: "Upload a part of a file",
    description: `Call the \`url\` of the part, which needs no key. The body is the bytes of the part, with a \`Content-Length\`. A part is
stored only if all of it arrives and, with \`sha256\`, only if it has that hash. Uploading a part again replaces it.`,
    bucket: "contacts",
    maxBody: maxPartBytes,
    params: z.object({
      id: pathId("id"),
      number: z.string().meta({ param: { name: "number", in: "path" }, example: "1" }),
    }),
    query: ImportPartQuery,
    bytes: ImportPart,
    ok: StoredImportPart,
    refusals: () => [alreadyComplete()],
    also: [403, 429],
  },
  async (platform, { params, query: { signature = "", sha256 } }, c) => {
    const part = { uploadId: params.id, number: Number(params.number) };
    const ctx = await openPartUrl(platform, part, signature);
    await admitByLink(c, ctx);
    return storePart(ctx, { id: part.uploadId, number: part.number, sha256, incoming: streamedBody(c) });
  },
);

uploads.post(
  "/contacts/imports/{id}/complete",
  {
    id: "completeImport",
    // The call that began the upload checked that the project was not full. If the parts have filled the project since,
    // their own import must still be possible.
    grows: false,
    summary: "Begin the import of an uploaded file",
    description: `All parts must have arrived; otherwise a 409 names the missing ones in \`details.missing\`. A second call answers with the
same job. Options in the body replace those sent when the upload began.

With \`?dryRun=true\` nothing is begun: the answer is the plan for the rows at the beginning of the file, for which the
first part is enough. \`partial\` is present if there are more rows.`,
    bucket: "contacts",
    params: IdParam,
    query: ImportQuery,
    body: CompleteImport,
    isBodyOptional: true,
    ok: { schema: ImportPlan, description: "The plan of the import, with `dryRun=true`." },
    accepted: starting(StartedJob, ImportResult),
    refusals: () => [partsMissing([2]), busy()],
  },
  async (ctx, { params, query, body }, c) => {
    const asked = askedIn(body);
    if (query.dryRun === "true") return planUpload(ctx, params.id, asked);
    const jobId = await completeUpload(ctx, params.id, asked);
    return c.json({ jobId: publicId(jobId), status: "queued" as const }, 202);
  },
);

uploads.delete(
  "/contacts/imports/{id}",
  {
    id: "giveUpImport",
    summary: "Give up an upload",
    description: "Deletes the parts that have arrived. 409 if the upload is complete: undo its import instead.",
    bucket: "contacts",
    params: IdParam,
    refusals: () => [alreadyComplete()],
  },
  (ctx, { params }) => giveUpUpload(ctx, params.id),
);
