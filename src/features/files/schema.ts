import { z } from "zod";
import { imageTypes } from "../../core/files/image";
import { Warnings } from "../../core/warning";

const fileExample = {
  id: "0199a0f2-5b10-7c21-8d34-6e7f8091a2b3",
  url: "https://mail.acme.com/f/AZmg8kwwehGy5H2OnwobLAGZoPJbEHwhjTRuf4CRorMl0n8xq2Wc3VbY7uJkLmNo",
  name: "logo.png",
  contentType: "image/png" as const,
  width: 640,
  height: 160,
  bytes: 8_214,
  createdAt: "2026-01-31T09:00:00.000Z",
};

export const StoredFile = z
  .object({
    id: z.string(),
    url: z
      .string()
      .meta({ description: "The URL of the file, which anybody can read without a key. It never changes." }),
    name: z.string().nullable().meta({ description: "The file name in the upload." }),
    contentType: z.enum(imageTypes).meta({ description: "The media type, found from the file's first bytes." }),
    width: z.number().int().meta({ description: "The width in pixels." }),
    height: z.number().int().meta({ description: "The height in pixels." }),
    bytes: z.number().int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "File", example: fileExample });

export const FilePage = z
  .object({
    data: z.array(StoredFile),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "FilePage", example: { data: [fileExample], cursor: "", hasMore: false, total: 1 } });

export const UploadFile = z
  .object({
    file: z
      .custom<File>((given) => given !== undefined, { message: "Required", params: { code: "required" }, abort: true })
      .refine((given) => given instanceof File, {
        message: "Must be one file, as sent by `curl -F file=@logo.png`",
        params: { code: "invalid_type" },
      })
      .meta({ type: "string", format: "binary", description: "A PNG, JPEG, GIF or WebP image of at most 5 MB." }),
  })
  // The error of a plain z.never() would name the whole form instead of the field.
  .catchall(z.unknown().refine(() => false, "Is not a field of this form, which takes file"))
  .meta({ id: "UploadFile", example: { file: "the bytes of logo.png" } });
