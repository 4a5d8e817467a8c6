import { z } from "zod";
import { asId } from "../ids";

const id = z.string().transform(asId);
const time = z.number().nullable();

const Report = z.union([
  z.strictObject({ kind: z.literal("delivered") }),
  z.strictObject({ kind: z.literal("bounced"), bounceType: z.literal("hard"), reason: z.string() }),
  z.strictObject({
    kind: z.literal("bounced"),
    bounceType: z.literal("soft"),
    reason: z.string(),
    isTransient: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal("complained") }),
]);

/** The result of a call for one email: see `Result` of engine/mail/deliver/record.ts. */
const StoredResult = z.strictObject({
  projectId: z.number(),
  emailId: id,
  campaignId: id.nullable(),
  round: z.string().nullable(),
  status: z.enum(["SENT", "QUEUED", "FAILED", "SUPPRESSED", "CANCELLED", "UNKNOWN"]),
  error: z.string().nullable(),
  providerMessageId: z.string().nullable(),
  retryAt: time,
  uncertainSince: time,
  isUntried: z.boolean(),
  reports: z.array(Report),
  /** Set when the provider was asked about an unknown outcome. */
  settledBy: z.literal("lookup").optional(),
});

/**
 * An email whose hand-over may have been committed although its consumer got an error and made no call.
 * `uncertainSince` is the value in the email's row before the hand-over.
 */
const Uncalled = z.strictObject({
  projectId: z.number(),
  emailId: id,
  call: z.string(),
  isRepeat: z.boolean(),
  handedAt: z.number(),
  uncertainSince: time,
});
export type Uncalled = z.infer<typeof Uncalled>;

/**
 * Facts about emails that a consumer could not store, because the database did not answer. Messages of type
 * `mail.settle` contain these facts.
 */
export const Unwritten = z.strictObject({
  /** The answers of the provider. */
  results: z.array(StoredResult),
  /** Emails for which the provider was not called. */
  uncalled: z.array(Uncalled),
  /**
   * Emails whose rows record an attempt without a hand-over, as if the consumer had died. The consumer is alive, so the
   * attempts do not count.
   */
  noted: z.array(id),
});
export type Unwritten = z.infer<typeof Unwritten>;
