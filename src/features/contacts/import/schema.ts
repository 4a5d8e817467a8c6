import { z } from "zod";
import { MappingText } from "../../../core/contacts/csv-mapping";
import { movedFaults, movedNamesListed } from "../../../core/contacts/csv-moved";
import { jobStatuses } from "../../../core/job-status";
import { Warnings } from "../../../core/warning";

/** The options that callers write the same way for an upload in one call and for an upload in parts. */
export const importOptions = {
  subscribed: z
    .literal("column", { error: 'Must be "column", or not be sent: the file\'s column subscribed is then dropped' })
    .optional()
    .meta({ description: "`column` takes the file's column `subscribed`. Without it, that column is dropped." }),
  columns: z
    .literal("all", { error: 'Must be "all", or not be sent' })
    .optional()
    .meta({ description: `\`all\` also takes the columns ${movedNamesListed}, for contacts that move in.` }),
};

export const UploadImport = z
  .object({
    file: z
      .custom<File>((given) => given !== undefined, { message: "Required", params: { code: "required" }, abort: true })
      .refine((given) => given instanceof File, {
        message: "Must be one file, such as `curl -F file=@contacts.csv` sends",
        params: { code: "invalid_type" },
      })
      .meta({ type: "string", format: "binary", description: "CSV in UTF-8, at most 5 MB." }),
    ...importOptions,
    mapping: MappingText.optional().meta({
      type: "string",
      description:
        'The field for each column, as JSON: `{"E-mail address": "email", "Plan": "data.plan", "Notes": null}`. `null` leaves a column out; a column that the mapping does not name becomes what it is called.',
    }),
  })
  // A plain z.never() would name the whole form in its refusal instead of the field.
  .catchall(
    z.unknown().refine(() => false, "Is not a field of this form, which takes file, subscribed, columns and mapping"),
  )
  .meta({
    id: "UploadImport",
    example: {
      file: "email,subscribed,plan\nada@example.com,yes,pro\nbob@example.com,no,free\n",
      subscribed: "column",
    },
  });

export const SkippedRow = z.object({
  row: z.number().int().meta({ description: "The header is row 1. Blank lines do not count." }),
  email: z.string().meta({ description: "As it was written, cut to 254 characters." }),
  reason: z
    .enum([
      ...(["missing_email", "invalid_email", "invalid_subscribed", "invalid_string", "data_too_large"] as const),
      ...movedFaults,
    ])
    .meta({
      description:
        "`invalid_subscribed`: the column `subscribed` is asked for but is neither yes nor no. `invalid_string`: a cell has the character U+0000. `data_too_large`: with this row, the contact's data would be over 64 KB. With `columns=all`, `invalid_time`: not a time, or a time in the future; `invalid_source`: not a `source` of a contact; `unknown_topic`: not the slug of a topic.",
    }),
});

const count = z.number().int();

export const ImportJob = z
  .object({
    jobId: z.string(),
    status: z.enum(jobStatuses),
    progress: count.min(0).max(100),
    totalRows: count.meta({ description: "Rows below the header. `imported`, `updated` and `skipped` add up to it." }),
    imported: count.meta({ description: "Rows that created a contact." }),
    updated: count.meta({
      description:
        "Rows whose contact already existed, or came from an earlier row of the file. Later rows merge over earlier ones.",
    }),
    skipped: count.meta({ description: "Rows that were not imported; `errors` gives the reasons." }),
    droppedColumns: z.array(z.string()).meta({
      description:
        "Columns of the file that were not imported, because their names are reserved or the mapping says null. At most 100.",
    }),
    errors: z.array(SkippedRow).meta({ description: "The first 1,000 skipped rows." }),
    errorsTruncated: z
      .literal(true)
      .optional()
      .meta({ description: "Present when more rows were skipped than `errors` lists." }),
    reason: z.string().optional().meta({ description: "Why the import failed, in one sentence." }),
    warnings: Warnings.meta({
      description:
        "How many rows say no, or neither yes nor no, in the column `subscribed` without the form field `subscribed=column`; and how many seem to be opted out by a column that was imported as data, such as `unsubscribed` or `status`.",
    }),
    undoableUntil: z.iso.datetime().nullable().meta({
      description: "Until when `POST /contacts/import/{jobId}/undo` can undo the import; null while it runs.",
    }),
    undoJobId: z.string().optional().meta({ description: "The job that undoes the import, if there is one." }),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: "ImportJob",
    example: {
      jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
      status: "completed",
      progress: 100,
      totalRows: 3,
      imported: 1,
      updated: 1,
      skipped: 1,
      droppedColumns: ["createdAt"],
      errors: [{ row: 4, email: "nope", reason: "invalid_email" }],
      undoableUntil: "2026-02-01T09:00:02.000Z",
      createdAt: "2026-01-31T09:00:00.000Z",
      completedAt: "2026-01-31T09:00:02.000Z",
    },
  });

export const ImportResult = ImportJob.pick({
  totalRows: true,
  imported: true,
  updated: true,
  skipped: true,
  droppedColumns: true,
}).meta({
  id: "ImportResult",
  example: { totalRows: 3, imported: 1, updated: 1, skipped: 1, droppedColumns: ["createdAt"] },
});

export const ImportQuery = z.object({
  dryRun: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Returns what the import would do with the file, without doing it." }),
});

const timeOrNull = z.iso.datetime().nullable();

const StoredRow = z.object({
  row: count.meta({ description: "The header is row 1." }),
  isNew: z.boolean().meta({ description: "No contact, and no earlier row, has this address." }),
  email: z.string(),
  subscribed: z.boolean(),
  data: z.record(z.string(), z.unknown()).meta({ description: "The data of the contact after this row." }),
  source: z.string(),
  createdAt: timeOrNull.meta({ description: "Null for a new contact that gets the time of the import." }),
  optedOutAt: timeOrNull,
  confirmedAt: timeOrNull,
  topics: z
    .array(z.string())
    .optional()
    .meta({ description: "All topics in which the row puts the contact, if it has any." }),
});

export const ImportPlan = z
  .object({
    totalRows: count.meta({ description: "Rows below the header." }),
    rows: z
      .array(StoredRow)
      .meta({ description: "The first 20 rows that would be imported, as they would be stored." }),
    columns: z
      .array(
        z.object({
          column: z.string().meta({ description: "The name in the header." }),
          field: z.string().nullable().meta({ description: "The field that it becomes; null when it is dropped." }),
          type: z.enum(["string", "number", "boolean", "date"]).nullable().meta({
            description: "The type of the field in the project, or that of the first value in the file.",
          }),
        }),
      )
      .meta({ description: "The columns of the file, in order. At most 1,000." }),
    droppedColumns: z.array(z.string()).meta({ description: "Columns that would not be imported. At most 100." }),
    duplicates: count.meta({
      description: "Rows whose address is also in an earlier row, into which they are merged.",
    }),
    invalid: count.meta({
      description:
        "Rows that would be skipped. Only for the first 20 is it known whether their data fits in addition to the stored data.",
    }),
    errors: z.array(SkippedRow).meta({ description: "The first of the skipped rows, at most about 100." }),
    partial: z.literal(true).optional().meta({
      description: "Present when only the beginning of a file in parts was read. The counts are those of its rows.",
    }),
    unsubscribedRows: count.meta({
      description: "Rows that contain an opt-out. `warnings` tells whether the import uses it.",
    }),
    warnings: Warnings,
  })
  .meta({
    id: "ImportPlan",
    example: {
      totalRows: 3,
      rows: [
        {
          ...{ row: 2, isNew: true, email: "ada@example.com", subscribed: true, data: { plan: "pro" } },
          ...{ source: "IMPORT", createdAt: null, optedOutAt: null, confirmedAt: null },
        },
      ],
      columns: [
        { column: "E-mail address", field: "email", type: "string" },
        { column: "Plan", field: "data.plan", type: "string" },
        { column: "Notes", field: null, type: null },
      ],
      droppedColumns: ["Notes"],
      duplicates: 1,
      invalid: 1,
      errors: [{ row: 4, email: "nope", reason: "invalid_email" }],
      unsubscribedRows: 0,
    },
  });
