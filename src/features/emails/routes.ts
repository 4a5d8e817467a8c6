import { z } from "zod";
import { endsAfterStart } from "../../core/events/range";
import { publicId } from "../../core/ids";
import { CursorQuery, IdParam } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { StartedJob, starting } from "../../http/started-job";
import { cancelEmail, notCancellable } from "./cancel";
import { notRendered, readContent } from "./content";
import { emailEventJson, emailJson, findHappened, getEmail } from "./email";
import { listEmails } from "./list";
import { notRetryable, retryEmail } from "./retry";
import { RetryEmails, RetryResult } from "./retry-many/schema";
import { startRetry } from "./retry-many/start";
import { Email, EmailContent, EmailFilters, EmailPage, EmailWithEvents, filtersOf, RetriedEmail } from "./schema";

export const emails = projectRoutes("Emails");

emails.get(
  "/emails",
  {
    id: "listEmails",
    summary: "List email records, newest first",
    query: z
      .object({ ...CursorQuery.shape, ...EmailFilters.shape })
      .superRefine((query, check) => endsAfterStart(filtersOf(query), check)),
    ok: EmailPage,
  },
  (ctx, { query: { cursor, limit, ...filters } }) => listEmails(ctx, filtersOf(filters), { cursor, limit }),
);

emails.get(
  "/emails/{id}",
  { id: "getEmail", summary: "Get an email record with its events", params: IdParam, ok: EmailWithEvents },
  async (ctx, { params }) => {
    const email = await getEmail(ctx, params.id);
    const happened = await findHappened(ctx, email);
    return { ...emailJson(email), events: happened.map((event) => emailEventJson(email, event)) };
  },
);

emails.get(
  "/emails/{id}/content",
  {
    id: "readEmailContent",
    summary: "Get the content of an email",
    description:
      "Lists attachments, but does not include them. 410 once the content is no longer stored: 90 days after the email became final, unless the installation sets another time.",
    params: IdParam,
    ok: EmailContent,
    also: [410],
    refusals: () => [notRendered("it takes too much work.")],
  },
  (ctx, { params }) => readContent(ctx, params.id),
);

emails.post(
  "/emails/retry",
  {
    id: "retryManyEmails",
    grows: false,
    sends: true,
    summary: "Send FAILED, CANCELLED or UNKNOWN emails again",
    description: `Sends all matching emails of one \`status\` again, as \`POST /emails/{id}/retry\` does with one email: the records stay the
same, and their attempts are counted anew. A scheduled email still waits for its time. Emails created after the call are left out.

The emails are sent in the background: poll \`GET /jobs/{jobId}\`. A second call finds only emails that have the status again.`,
    body: RetryEmails,
    accepted: starting(StartedJob, RetryResult),
    also: [404],
  },
  async (ctx, { body }) => ({ jobId: publicId(await startRetry(ctx, body)), status: "queued" as const }),
);

emails.post(
  "/emails/{id}/retry",
  {
    id: "retryEmail",
    grows: false,
    sends: true,
    summary: "Send a FAILED, CANCELLED or UNKNOWN email again",
    description: "An UNKNOWN email may already have arrived. Its recipient may then get it twice.",
    params: IdParam,
    accepted: RetriedEmail,
    also: [402, 410],
    refusals: () => [notRetryable("DELIVERED")],
  },
  (ctx, { params }) => retryEmail(ctx, params.id),
);

emails.delete(
  "/emails/{id}",
  {
    id: "cancelEmail",
    summary: "Cancel an email that is QUEUED",
    description: "Returns the record with the status CANCELLED. 409 once the email is on its way.",
    params: IdParam,
    ok: Email,
    refusals: () => [notCancellable({ status: "SENT" })],
  },
  async (ctx, { params }) => emailJson(await cancelEmail(ctx, params.id)),
);
