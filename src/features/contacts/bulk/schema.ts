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
    condition: FilterCondition.nullish().meta({ description: "The condition that selects the contacts." }),
    search: z
      .string()
      .nullish()
      .meta({ description: "Text that the contact's address must contain, in upper or lower case." }),
    everybody: z
      .literal(true)
      .nullish()
      .meta({ description: "Selects every contact. Required if you send neither `condition` nor `search`." }),
  })
  .refine(({ condition, search, everybody }) => condition || search?.trim() || everybody, {
    message: "Send a condition or a search, or everybody: true",
    params: { code: "required" },
  })
  .meta({
    id: "MatchingContacts",
    description:
      "Selects all contacts that `POST /contacts/query` would find, however many. Each contact is tested " +
      "when the operation reaches it; times in the condition are relative to the call. Contacts created " +
      "after the call are left out, unless an import gives them an earlier `createdAt`. Unknown properties " +
      "are refused, because ignoring one could select more contacts.",
    example: { condition: conditionOf({ field: "data.plan", operator: "equals", value: "free" }) },
  });

/** The contacts of a bulk operation: listed, or all that match. */
export type BulkContacts = { contactIds: Id[] } | { matching: { condition: FilterCondition | null; search: string } };

export const BulkRequest = z
  .object({
    contactIds: ContactIds.optional().meta({ description: "The ids of the contacts. Duplicates count once." }),
    ids: ContactIds.optional().meta({
      description: "Another name for `contactIds`. Send only one of the two.",
    }),
    matching: Matching.optional().meta({
      description: "Selects contacts by a condition or a search. Send it instead of `contactIds`.",
    }),
  })
  .transform(({ contactIds, ids, matching }, check): BulkContacts => {
    const named = contactIds ?? ids;
    // A second selection that is ignored would leave out contacts that the caller named.
    const second = named && matching ? "matching" : contactIds && ids ? "ids" : null;
    if (second) {
      const message = `Send either contactIds or ${second}, not both`;
      check.addIssue({ code: "custom", path: [second], message, params: { code: "custom" } });
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
      description: "The number of distinct ids in the call or, with `matching`, of contacts found so far.",
    }),
    succeeded: count.meta({
      description:
        "The number of contacts changed. Each change of `subscribed` records one event. Ending a snooze also " +
        "counts as a change.",
    }),
    unchanged: count.meta({ description: "The number of contacts that were already in the requested state." }),
    failed: count.meta({ description: "The number of ids without a contact in this project. `errors` lists them." }),
    errors: z.array(BulkError),
    reason: z.string().optional().meta({ description: "Why the operation failed, as a sentence." }),
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
