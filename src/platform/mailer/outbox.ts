import type { DnsRecord } from "../../core/domains/records";
import { newId, publicId, readId, textOf } from "../../core/ids";
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
      switch (behaviour.kind) {
        case "busy":
          return { kind: "busy", reason: "429 Too many requests (simulated)" };
        case "refuse":
          return { kind: "refused", reason: "400 The provider refused this mail (simulated)" };
        case "time out":
          return { kind: "unknown", reason: "The provider did not answer in time (simulated)" };
        case "accept":
          return keep(db, blobs, message, behaviour.reports);
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

async function keep(db: Db, blobs: Blobs, message: Message, reports: Report[]): Promise<Receipt> {
  const id = newId();
  const { projectId, projectNumber, emailId, to } = message;
  // The file goes first, so that every row has its file.
  await blobs.put(blobKey("outbox", projectId, textOf(id)), await toMime(message));
  const row = { id, projectId: projectNumber, emailId: readId(emailId), toEmail: to.email, createdAt: Date.now() };
  await db.insert(outboxMessages).values(row);
  return { kind: "accepted", providerMessageId: publicId(id), reports };
}
