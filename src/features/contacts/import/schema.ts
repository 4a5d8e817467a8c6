import { z } from "zod";
import { MappingText } from "../../../core/contacts/csv-mapping";
import { movedFaults, movedNamesListed } from "../../../core/contacts/csv-moved";
import { jobStatuses } from "../../../core/job-status";
import { Warnings } from "../../../core/warning";

/** The options that callers write the same way for an upload in one call and for an upload in parts. */
export const importOptions = {
  subscribed: z
    .literal("column", { error: 'Must be "column", or left out to drop the file\'s column subscribed' })
    .optional()
    .meta({
      description: "`column` imports the file's column `subscribed`. Without this option, that column is dropped.",
    }),
  columns: z
    .literal("all", { error: 'Must be "all", or left out' })
    .optional()
    .meta({ description: `\`all\` also imports the columns ${movedNamesListed}, for contacts from another system.` }),
};

export const UploadImport = z
  .object({
    file: z
      .custom<File>((given) => given !== undefined, { message: "Required", params: { code: "required" }, abort: true })
      .refine((given) => given instanceof File, {
        message: "Must be one file, as sent by `curl -F file=@contacts.csv`",
        params: { code: "invalid_type" },
      })
      .meta({ type: "string", format: "binary", description: "A CSV file in UTF-8, at most 5 MB." }),
    ...importOptions,
    mapping: MappingText.optional().meta({
      type: "string",
      description:
        'The field for each column, as JSON: `{"E-mail address": "email", "Plan": "data.plan", "Notes": ' +
        "null}`. `null` drops a column. Columns that you leave out keep their names.",
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
  row: z.number().int().meta({ description: "The number of the row. The header is row 1; blank lines do not count." }),
  email: z.string().meta({ description: "The address as it is in the file, cut to 254 characters." }),
  reason: z
    .enum([
      ...(["missing_email", "invalid_email", "invalid_subscribed", "invalid_string", "data_too_large"] as const),
      ...movedFaults,
    ])
    .meta({
      description:
        "`invalid_subscribed`: you asked for the column `subscribed`, but the cell says neither yes nor no. " +
        "`invalid_string`: a cell contains the character U+0000. `data_too_large`: the row would make the " +
        "contact's data larger than 64 KB. With `columns=all`: `invalid_time`, a cell is not a time, or is " +
        "in the future; `invalid_source`, it is not a `source` of a contact; `unknown_topic`, it is not the " +
        "slug of a topic.",
    }),
});

const count = z.number().int();

export const ImportJob = z
  .object({
    jobId: z.string(),
    status: z.enum(jobStatuses),
    progress: count.min(0).max(100),
    totalRows: count.meta({
      description: "The number of rows below the header: the sum of `imported`, `updated` and `skipped`.",
    }),
    imported: count.meta({ description: "The number of rows that created a contact." }),
    updated: count.meta({
      description:
        "The number of rows whose address already had a contact, including one from an earlier row of the " +
        "file. Later rows merge over earlier ones.",
    }),
    skipped: count.meta({ description: "The number of rows that were not imported. `errors` gives the reasons." }),
    droppedColumns: z.array(z.string()).meta({
      description:
        "The columns that were not imported, because their names are reserved or `mapping` drops them. At most 100.",
    }),
    errors: z.array(SkippedRow).meta({ description: "The first 1,000 skipped rows." }),
    errorsTruncated: z
      .literal(true)
      .optional()
      .meta({ description: "Present if more rows were skipped than `errors` lists." }),
    reason: z.string().optional().meta({ description: "Why the import failed, as a sentence." }),
    warnings: Warnings.meta({
      description:
        "Says how many rows have a no, or neither yes nor no, in a column `subscribed` that you did not ask " +
        "for; and how many seem to have opted out by a column that was imported as data, such as " +
        "`unsubscribed` or `status`.",
    }),
    undoableUntil: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          "The time until which `POST /contacts/import/{jobId}/undo` can undo the import. Null while the " +
          "import runs.",
      }),
    undoJobId: z
      .string()
      .optional()
      .meta({ description: "The id of the job that undoes the import. Present if you have asked for that." }),
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
    .meta({ description: "`true` returns what the import would do with the file, and imports nothing." }),
});

const timeOrNull = z.iso.datetime().nullable();

const StoredRow = z.object({
  row: count.meta({ description: "The number of the row. The header is row 1." }),
  isNew: z.boolean().meta({ description: "True if neither a contact nor an earlier row has this address." }),
  email: z.string(),
  subscribed: z.boolean(),
  data: z.record(z.string(), z.unknown()).meta({ description: "The contact's data after this row." }),
  source: z.string(),
  createdAt: timeOrNull.meta({
    description: "Null for a new contact whose `createdAt` will be the time of the import.",
  }),
  optedOutAt: timeOrNull,
  confirmedAt: timeOrNull,
  topics: z
    .array(z.string())
    .optional()
    .meta({ description: "The slugs of all topics that the row adds the contact to. Present if there are any." }),
});

export const ImportPlan = z
  .object({
    totalRows: count.meta({ description: "The number of rows below the header." }),
    rows: z.array(StoredRow).meta({ description: "The first 20 rows that would be imported, as contacts." }),
    columns: z
      .array(
        z.object({
          column: z.string().meta({ description: "The name of the column in the header." }),
          field: z
            .string()
            .nullable()
            .meta({ description: "The field that the column becomes. Null if the column is dropped." }),
          type: z.enum(["string", "number", "boolean", "date"]).nullable().meta({
            description:
              "The type of the field in the project, or that of the first value in the file if the field is new.",
          }),
        }),
      )
      .meta({ description: "The columns of the file, in order, at most 1,000." }),
    droppedColumns: z.array(z.string()).meta({ description: "The columns that would not be imported, at most 100." }),
    duplicates: count.meta({
      description: "The number of rows whose address is in an earlier row too. They are merged into that row.",
    }),
    invalid: count.meta({
      description:
        "The number of rows that would be skipped. Whether data would be too large together with stored data " +
        "is checked only for the first 20 rows.",
    }),
    errors: z.array(SkippedRow).meta({ description: "The first rows that would be skipped, at most about 100." }),
    partial: z
      .literal(true)
      .optional()
      .meta({
        description:
          "Present if only the beginning of a file in parts was read. All counts are then those of the rows " + "read.",
      }),
    unsubscribedRows: count.meta({
      description: "The number of rows that contain an opt-out. `warnings` says whether the import would use it.",
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
