import { z } from "zod";
import { parseDomain } from "../../../core/domains/parse-domain";
import type { DnsRecord, RecordPurpose } from "../../../core/domains/records";
import type { Answer } from "../call";
import type { Mailer, SenderDomain } from "../mailer";
import { registered, uncheckedRecord } from "../registration";

const name = "resend";

const DomainList = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string() })),
  has_more: z.boolean().default(false),
});

const Details = z.object({
  status: z.string(),
  records: z
    .array(
      z.object({
        record: z.string(),
        name: z.string(),
        type: z.string(),
        value: z.string(),
        priority: z.number().nullish(),
      }),
    )
    .default([]),
});

/**
 * Returns the methods for domains at Resend. Resend identifies a domain by an id, which must be looked up in Resend's
 * list of domains.
 */
export function resendDomains(
  call: (method: string, path: string, body?: string) => Promise<Answer>,
): Pick<Mailer, "addDomain" | "domainStatus" | "removeDomain"> {
  const ask = (method: string, path: string, body?: object, expected?: number[]) =>
    registered(name, () => call(method, path, body && JSON.stringify(body)), expected);
  return {
    async addDomain(domain) {
      const known = await idOf(ask, domain);
      const answer =
        known !== null ? await ask("GET", `domains/${known}`) : await ask("POST", "domains", { name: domain });
      return { ...(await senderDomain(domain, answer)), isNew: known === null };
    },
    async domainStatus(domain) {
      const id = await idOf(ask, domain);
      if (id === null) return null;
      const found = await senderDomain(domain, await ask("GET", `domains/${id}`));
      // Resend checks DNS only on request; the result is available the next time.
      if (!found.verified) await ask("POST", `domains/${id}/verify`);
      return found;
    },
    async removeDomain(domain) {
      const id = await idOf(ask, domain);
      if (id !== null) await ask("DELETE", `domains/${id}`, undefined, [404]);
    },
  };
}

type Ask = (method: string, path: string) => Promise<Answer>;
const maxPages = 100;

async function idOf(ask: Ask, domain: string): Promise<string | null> {
  let after = "";
  for (let page = 0; page < maxPages; page++) {
    const { data, has_more } = DomainList.parse((await ask("GET", `domains?limit=100${after}`)).body);
    const found = data.find((item) => item.name === domain);
    if (found) return found.id;
    const last = data.at(-1);
    if (!has_more || !last) return null;
    after = `&after=${last.id}`;
  }
  return null;
}

async function senderDomain(domain: string, answer: Answer): Promise<SenderDomain> {
  const registrable = (await parseDomain(domain)).domain ?? domain;
  const { status, records } = Details.parse(answer.body);
  return {
    verified: status === "verified",
    records: records.flatMap((record): DnsRecord[] => {
      const purpose = purposes[record.record]?.[record.type];
      if (!purpose || !isKnownType(record.type)) return [];
      const value = record.value.replace(/^"(.*)"$/, "$1").replace(/\.$/, "");
      const more = { required: true, priority: record.priority ?? undefined };
      return [uncheckedRecord(purpose, record.type, absolute(record.name, registrable), value, more)];
    }),
  };
}

/**
 * The purposes of Resend's records. A return path has two records of the kind SPF: an MX record for bounces and a TXT
 * record. Records that are not listed are for tracking.
 */
const purposes: Record<string, Record<string, RecordPurpose>> = {
  SPF: { MX: "RETURN_PATH", TXT: "SPF" },
  DKIM: { TXT: "DKIM", CNAME: "DKIM" },
};

function isKnownType(type: string): type is DnsRecord["type"] {
  return type === "TXT" || type === "CNAME" || type === "MX";
}

/**
 * Returns the full name of a record. Resend's names are relative to the registrable domain, even for a subdomain:
 * `send.mail` is a record of mail.acme.com.
 */
function absolute(recordName: string, registrable: string): string {
  return recordName === registrable || recordName.endsWith(`.${registrable}`)
    ? recordName
    : `${recordName}.${registrable}`;
}
