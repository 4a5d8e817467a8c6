import type { DnsRecord } from "../../core/domains/records";
import { type Id, newId, publicId, readId, textOf } from "../../core/ids";
import type { Message } from "../../core/mail/message";
import type { Receipt } from "../../core/mail/receipt";
import { behaviourTowards } from "../../core/mail/simulator";
import type { Report } from "../../core/mail/status";
import type { Db } from "../../db/client";
import { outboxMessages } from "../../db/tables";
import { type Blobs, blobKey } from "../blobs";
import type { Mailer, SenderDomain } from "./mailer";
import { toMime } from "./mime";

/** The embedded provider: it stores every mail for you to read, sends none, and simulates the reports. */
export function outboxMailer(db: Db, blobs: Blobs): Mailer {
  return {
    name: "outbox",
    // Like most real providers it accepts the same mail twice, which shows whether our own checks work.
    idempotencyWindowMs: 0,
    maxMessageBytes: 40 * 1024 * 1024,
    steeringHeaders: [],
    allowsMarketing: true,
    async deliver(message) {
      const behaviour = behaviourTowards(message.to.email);
      // What is not accepted is stored as well, so that the pages can show it.
      if (behaviour.kind !== "accept") await keep(db, blobs, message, readId(message.emailId));
      switch (behaviour.kind) {
        case "busy":
          return { kind: "busy", reason: "429 Too many requests (simulated)" };
        case "refuse":
          return { kind: "refused", reason: "400 The provider refused this mail (simulated)" };
        case "time out":
          return { kind: "unknown", reason: "The provider did not answer in time (simulated)" };
        case "accept":
          return accept(db, blobs, message, behaviour.reports);
      }
    },
    async probe() {},
    addDomain: async (domain) => ({ ...rehearsal(domain), isNew: false }),
    domainStatus: async (domain) => rehearsal(domain),
    async removeDomain() {},
  };
}

/**
 * Example records like those of real providers, so that a user interface can show all kinds. None is required and all
 * are harmless: only our own ownership record decides.
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

async function accept(db: Db, blobs: Blobs, message: Message, reports: Report[]): Promise<Receipt> {
  const id = newId();
  await keep(db, blobs, message, id);
  return { kind: "accepted", providerMessageId: publicId(id), reports };
}

/** Stores a mail. One that is not accepted has the id of its email, so that its further tries add nothing. */
async function keep(db: Db, blobs: Blobs, message: Message, id: Id): Promise<void> {
  const { projectId, projectNumber, emailId, to } = message;
  // The file goes first, so that every row has its file.
  await blobs.put(blobKey("outbox", projectId, textOf(id)), await toMime(message));
  const row = { id, projectId: projectNumber, emailId: readId(emailId), toEmail: to.email, createdAt: Date.now() };
  await db.insert(outboxMessages).values(row).onConflictDoNothing();
}
