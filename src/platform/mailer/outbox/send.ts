import { sql } from "drizzle-orm";
import type { DnsRecord } from "../../../core/domains/records";
import { type Id, newIdAt, publicId, readId, textOf } from "../../../core/ids";
import type { Message } from "../../../core/mail/message";
import { toMime } from "../../../core/mail/mime/message";
import type { Receipt } from "../../../core/mail/receipt";
import { type Behaviour, behaviourTowards } from "../../../core/mail/simulator";
import type { Db } from "../../../db/client";
import { type Blobs, blobKey } from "../../blobs";
import type { Mailer, SenderDomain } from "../mailer";

/** Opens the outbox, which sends no mail, but stores it for reading and simulates the reports. */
export function outboxMailer(db: Db, blobs: Blobs, clock = () => new Date()): Mailer {
  return {
    name: "outbox",
    // Like most real providers, the outbox accepts the same mail twice, so that a missing check in our code becomes
    // visible.
    idempotencyWindowMs: 0,
    mailsPerCall: 50,
    sharesCallsWithFiles: true,
    maxMessageBytes: 40 * 1024 * 1024,
    steeringHeaders: [],
    allowsMarketing: true,
    deliver: (messages) => handOver(db, blobs, messages, clock().getTime()),
    addDomain: async (domain) => ({ ...rehearsal(domain), isNew: false }),
    domainStatus: async (domain) => rehearsal(domain),
    async removeDomain() {},
  };
}

/**
 * Returns example records like those of real providers, so that a user interface can show all kinds. None of them is
 * required, so only our own ownership record decides whether a domain is verified.
 */
function rehearsal(domain: string): SenderDomain {
  const open = { required: false, status: "PENDING" as const };
  const bounces = `bounces.${domain}`;
  const records: DnsRecord[] = [
    { purpose: "DKIM", type: "CNAME", name: `petrel._domainkey.${domain}`, value: "dkim.simulator.test", ...open },
    { purpose: "SPF", type: "TXT", name: bounces, value: "v=spf1 include:spf.simulator.test ~all", ...open },
    { purpose: "RETURN_PATH", type: "MX", name: bounces, value: "feedback.simulator.test", priority: 10, ...open },
  ];
  return { verified: true, records };
}

async function handOver(db: Db, blobs: Blobs, messages: readonly Message[], at: number): Promise<Receipt[]> {
  const answered = messages.map((message) => {
    const behaviour = behaviourTowards(message.to.email);
    // Mail that is not accepted is stored too, so that the pages can show it. Its row has the id of the email, so that
    // retries add no copies.
    const id = behaviour.kind === "accept" ? newIdAt(at) : readId(message.emailId);
    return { message, id, receipt: receiptOf(behaviour, id) };
  });
  await keep(db, blobs, answered, at);
  return answered.map(({ receipt }) => receipt);
}

function receiptOf(behaviour: Behaviour, id: Id): Receipt {
  switch (behaviour.kind) {
    case "busy":
      return { kind: "busy", reason: "429 Too many requests (simulated)" };
    case "refuse":
      return { kind: "refused", reason: "400 The provider refused this email (simulated)" };
    case "time out":
      return { kind: "unknown", reason: "The provider did not answer in time (simulated)" };
    case "accept":
      return { kind: "accepted", providerMessageId: publicId(id), reports: behaviour.reports };
  }
}

/**
 * The maximum size of a message that is stored in a row, in bytes. A file in R2 costs more than a row, and a call with
 * many emails should cost little.
 */
const maxSourceBytes = 16 * 1024;

async function keep(db: Db, blobs: Blobs, mails: { message: Message; id: Id }[], at: number): Promise<void> {
  const kept = mails.map(({ message, id }) => ({ message, id, mime: toMime(message) }));
  const large = kept.filter(({ mime }) => mime.length > maxSourceBytes);
  // The files are stored first, so that every row has its file.
  await Promise.all(
    large.map(({ message, id, mime }) => blobs.put(blobKey("outbox", message.projectId, textOf(id)), mime)),
  );
  const decoder = new TextDecoder();
  const rows = kept.map(({ message: { projectNumber, emailId, to }, id, mime }) => ({
    ...{ id, projectId: projectNumber, emailId: readId(emailId), toEmail: to.email },
    source: mime.length > maxSourceBytes ? null : decoder.decode(mime),
  }));
  await db.run(sql`INSERT INTO outbox_messages (project_id, id, email_id, to_email, source, created_at)
    SELECT value->>'projectId', value->>'id', value->>'emailId', value->>'toEmail', value->>'source', ${at}
    FROM json_each(${JSON.stringify(rows)}) WHERE true ON CONFLICT DO NOTHING`);
}
