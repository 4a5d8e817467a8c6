import { z } from "zod";
import { conditionOf, FilterCondition } from "../../../core/audience/condition";
import { type Id, readId } from "../../../core/ids";
import { jobStatuses } from "../../../core/job-status";
import { storable } from "../../../core/storable";

const maxContacts = 1_000;
const maxIdLength = 128;

const ContactIds = z
  .array(
    z
      .string()
      .max(maxIdLength)
      .refine(...storable)
      .transform(readId)
      .meta({ type: "string", maxLength: maxIdLength }),
  )
  .min(1)
  .max(maxContacts);

const Matching = z
  .object({
    condition: FilterCondition.nullish().meta({ description: "The condition that they match." }),
    search: z.string().nullish().meta({ description: "A part of the address, case-insensitive." }),
    everybody: z.literal(true).nullish().meta({ description: "Needed when there is no condition and no search." }),
  })
  .refine(({ condition, search, everybody }) => condition || search?.trim() || everybody, {
    message: "Send a condition or a search, or everybody: true",
    params: { code: "required" },
  })
  .meta({
    id: "MatchingContacts",
    description:
      "The contacts that `POST /contacts/query` finds, however many. Each is judged when its turn comes; times in the condition count from the call. Contacts that are created after the call are left out, except those of an import with an earlier `createdAt`. An unknown name is refused, because without it more contacts would match.",
    example: { condition: conditionOf({ field: "data.plan", operator: "equals", value: "free" }) },
  });

/** The contacts of a bulk operation: listed, or all that match. */
export type BulkContacts = { contactIds: Id[] } | { matching: { condition: FilterCondition | null; search: string } };

export const BulkRequest = z
  .object({
    contactIds: ContactIds.optional().meta({ description: "Ids of contacts. Duplicates count once." }),
    ids: ContactIds.optional().meta({ description: "Another name for `contactIds`; ignored when that is sent." }),
    matching: Matching.optional().meta({ description: "Replaces `contactIds`." }),
  })
  .transform(({ contactIds, ids, matching }, check): BulkContacts => {
    const named = contactIds ?? ids;
    if (named && matching) {
      const message = "Send either contactIds or matching, not both";
      check.addIssue({ code: "custom", path: ["matching"], message, params: { code: "custom" } });
      return z.NEVER;
    }
    if (named) return { contactIds: [...new Set(named)] };
    if (matching) return { matching: { condition: matching.condition ?? null, search: matching.search ?? "" } };
    check.addIssue({ code: "custom", path: ["contactIds"], message: "Required", params: { code: "required" } });
    return z.NEVER;
  })
  .meta({
    id: "BulkRequest",
    example: { contactIds: ["0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10", "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a11"] },
  });

export const BulkOperation = z.enum(["subscribe", "unsubscribe", "delete"]);
export type BulkOperation = z.infer<typeof BulkOperation>;

export const BulkError = z.object({ contactId: z.string(), reason: z.enum(["not_found"]) });

const count = z.number().int();

export const BulkJob = z
  .object({
    jobId: z.string(),
    operation: BulkOperation,
    status: z.enum(jobStatuses),
    progress: count.min(0).max(100),
    totalRequested: count.meta({
      description: "The number of different ids that were sent; with `matching`, the number found so far.",
    }),
    succeeded: count.meta({
      description:
        "Contacts that were changed. Each change of `subscribed` records one event. Ending a snooze is a change too.",
    }),
    unchanged: count.meta({ description: "Contacts that were already in the requested state." }),
    failed: count.meta({ description: "Ids without a contact in this project; `errors` lists each." }),
    errors: z.array(BulkError),
    reason: z.string().optional().meta({ description: "Why the operation failed, in a sentence." }),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({
    id: "BulkJob",
    example: {
      jobId: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f",
      operation: "unsubscribe",
      status: "completed",
      progress: 100,
      totalRequested: 3,
      succeeded: 1,
      unchanged: 1,
      failed: 1,
      errors: [{ contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a11", reason: "not_found" }],
      createdAt: "2026-01-31T09:00:00.000Z",
      completedAt: "2026-01-31T09:00:01.000Z",
    },
  });

export const BulkResult = BulkJob.pick({ succeeded: true, unchanged: true, failed: true }).meta({
  id: "BulkResult",
  example: { succeeded: 1, unchanged: 1, failed: 1 },
});
export type BulkResult = z.infer<typeof BulkResult>;
