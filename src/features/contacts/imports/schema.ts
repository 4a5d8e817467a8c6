import { z } from "zod";
import { CheckedMapping } from "../../../core/contacts/csv-mapping";
import type { Asked } from "../import/import-job";
import { importOptions } from "../import/schema";

const options = {
  ...importOptions,
  mapping: CheckedMapping.optional().meta({
    description: "The field for each column. `null` drops a column. Columns that you leave out keep their names.",
    example: { "E-mail address": "email", Plan: "data.plan", Notes: null },
  }),
};

export const BeginImport = z
  .object({
    bytes: z
      .number()
      .int()
      .min(1)
      .meta({ description: "The size of the file in bytes, at most 104,857,600 (100 MB)." }),
    name: z.string().max(255).optional().meta({ description: "A name for the file, shown to people only." }),
    ...options,
  })
  .meta({ id: "BeginImport", example: { bytes: 12_000_000, name: "contacts.csv", subscribed: "column" } });

export const CompleteImport = z
  .object(options)
  .meta({ id: "CompleteImport", example: { mapping: { "E-mail address": "email", Plan: "data.plan", Notes: null } } });

/** Returns the options of a call as jobs store them, without those that the call does not send. */
export function askedIn({ subscribed, columns, mapping }: z.infer<typeof CompleteImport>): Partial<Asked> {
  return {
    ...(subscribed === undefined ? {} : { takesSubscribed: true }),
    ...(columns === undefined ? {} : { takesAll: true }),
    ...(mapping === undefined ? {} : { mapping }),
  };
}

const count = z.number().int();

export const ImportUpload = z
  .object({
    id: z.string(),
    status: z.enum(["uploading", "complete"]),
    jobId: z.string().nullable().meta({
      description: "The id of the import job, for `GET /contacts/import/{jobId}`. Null until the upload is complete.",
    }),
    name: z.string().nullable(),
    bytes: count.meta({ description: "The size of the file in bytes." }),
    partBytes: count.meta({ description: "The size in bytes of every part except the last." }),
    parts: z.array(
      z.object({
        number: count.meta({ description: "The number of the part, from 1, in the order of the file." }),
        bytes: count,
        received: z.boolean(),
        url: z.url().nullable().meta({
          description:
            "The URL to which you PUT the bytes of this part, without a key. Null once the upload is complete.",
        }),
      }),
    ),
    missing: z.array(count).meta({ description: "The numbers of the parts that have not arrived." }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().meta({ description: "When the upload is deleted if it is not complete." }),
  })
  .meta({
    id: "ImportUpload",
    example: {
      id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
      status: "uploading",
      jobId: null,
      name: "contacts.csv",
      bytes: 6_000_000,
      partBytes: 5_242_880,
      parts: [
        {
          number: 1,
          bytes: 5_242_880,
          received: true,
          url: "https://mail.acme.com/contacts/imports/0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f/parts/1?signature=AZmg8p0Cfm-xxCo7TF1u",
        },
        {
          number: 2,
          bytes: 757_120,
          received: false,
          url: "https://mail.acme.com/contacts/imports/0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f/parts/2?signature=AZmg8p0Cfm-xxCo7TF1u",
        },
      ],
      missing: [2],
      createdAt: "2026-01-31T09:00:00.000Z",
      expiresAt: "2026-02-01T09:00:00.000Z",
    },
  });

export const ImportPart = z.string().meta({ format: "binary", example: "the bytes of the part" });

export const StoredImportPart = z
  .object({ number: count, bytes: count })
  .meta({ id: "StoredImportPart", example: { number: 2, bytes: 757_120 } });

export const ImportPartQuery = z.object({
  signature: z.string().optional().meta({ description: "The signature in the `url` of the part." }),
  sha256: z
    .string()
    .refine((hash) => /^[0-9a-f]{64}$/.test(hash), "Must be a SHA-256 hash as 64 lower-case hex digits")
    .optional()
    .meta({ description: "The SHA-256 hash of the part. The part is stored only if its hash is the same." }),
});
