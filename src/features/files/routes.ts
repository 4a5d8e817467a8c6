import { CursorQuery, IdParam } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { deleteFile, fileInUse } from "./delete";
import { fileJson } from "./file";
import { listFiles } from "./list";
import { FilePage, StoredFile, UploadFile } from "./schema";
import { maxFileBytes, storeFile, tooManyFiles } from "./store";

export const files = projectRoutes("Files");

files.get(
  "/files",
  { id: "listFiles", summary: "List the files, newest first", query: CursorQuery, ok: FilePage },
  (ctx, { query }) => listFiles(ctx, query),
);

files.post(
  "/files",
  {
    id: "uploadFile",
    summary: "Upload an image for mail",
    description:
      "Takes a PNG, JPEG, GIF or WebP image of at most 5 MB, recognised by its first bytes and not by its " +
      "name. The answer's `url` shows the image to anybody, without a key, and never changes: put it into " +
      "the body of a template or a campaign. The files of a project may total 1 GB.",
    maxBody: maxFileBytes + 64 * 1024,
    form: UploadFile,
    created: StoredFile,
    refusals: () => [tooManyFiles()],
  },
  async (ctx, { form }) => fileJson(ctx, await storeFile(ctx, form.file)),
);

files.delete(
  "/files/{id}",
  {
    id: "deleteFile",
    summary: "Delete a file",
    description:
      "409 while a template, or a campaign that is DRAFT, SCHEDULED or SENDING, uses the file's URL. Mail " +
      "that was already sent no longer shows the image, unless a cache still has it.",
    params: IdParam,
    refusals: () => [
      fileInUse({ templates: [{ id: "0199a0f2-5b10-7c21-8d34-6e7f8091a2b4", name: "Newsletter" }], campaigns: [] }),
    ],
  },
  (ctx, { params }) => deleteFile(ctx, params.id),
);
