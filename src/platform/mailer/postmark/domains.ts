import { z } from "zod";
import type { Answer } from "../call";
import type { Mailer, SenderDomain } from "../mailer";
import { outOfReach, registered, uncheckedRecord } from "../registration";

const name = "postmark";
const perPage = 500;

const DomainList = z.object({
  TotalCount: z.number(),
  Domains: z.array(z.object({ ID: z.number(), Name: z.string() })),
});

const Details = z.object({
  DKIMVerified: z.boolean(),
  DKIMHost: z.string().nullish(),
  DKIMTextValue: z.string().nullish(),
  DKIMPendingHost: z.string().nullish(),
  DKIMPendingTextValue: z.string().nullish(),
  ReturnPathDomain: z.string().nullish(),
  ReturnPathDomainCNAMEValue: z.string().nullish(),
});

type Call = (method: string, path: string, body?: string) => Promise<Answer>;

/**
 * Returns the methods for domains at Postmark. Domains belong to the account, so `call` is null without the account's
 * token. No domain can then be registered, and the caller gets an error.
 */
export function postmarkDomains(call: Call | null): Pick<Mailer, "addDomain" | "domainStatus" | "removeDomain"> {
  const ask = (method: string, path: string, body?: object, expected?: number[]) => {
    if (!call) throw outOfReach(name, new Error("Its account token is not set"));
    return registered(name, () => call(method, path, body && JSON.stringify(body)), expected);
  };
  return {
    async addDomain(domain) {
      const known = await idOf(ask, domain);
      const returnPath = `pm-bounces.${domain}`;
      const answer =
        known === null
          ? await ask("POST", "domains", { Name: domain, ReturnPathDomain: returnPath })
          : await ask("GET", `domains/${known}`);
      return { ...senderDomain(answer), isNew: known === null };
    },
    async domainStatus(domain) {
      const id = await idOf(ask, domain);
      if (id === null) return null;
      const found = senderDomain(await ask("GET", `domains/${id}`));
      // Postmark checks DNS only on request, and answers with the result.
      return found.verified ? found : senderDomain(await ask("PUT", `domains/${id}/verifyDkim`));
    },
    async removeDomain(domain) {
      const id = await idOf(ask, domain);
      if (id !== null) await ask("DELETE", `domains/${id}`, undefined, [404]);
    },
  };
}

async function idOf(ask: (method: string, path: string) => Promise<Answer>, domain: string): Promise<number | null> {
  for (let offset = 0; ; offset += perPage) {
    const { TotalCount, Domains } = DomainList.parse(
      (await ask("GET", `domains?count=${perPage}&offset=${offset}`)).body,
    );
    const found = Domains.find(({ Name }) => Name.toLowerCase() === domain);
    if (found) return found.ID;
    if (Domains.length === 0 || offset + perPage >= TotalCount) return null;
  }
}

/** Builds a sender domain. DKIM alone verifies the domain. The return path also aligns SPF, but is not required. */
function senderDomain(answer: Answer): SenderDomain {
  const details = Details.parse(answer.body);
  const dkimHost = details.DKIMPendingHost || details.DKIMHost;
  const dkimValue = details.DKIMPendingTextValue || details.DKIMTextValue;
  const { ReturnPathDomain: returnPath, ReturnPathDomainCNAMEValue: target } = details;
  return {
    verified: details.DKIMVerified,
    records: [
      ...(dkimHost && dkimValue ? [uncheckedRecord("DKIM", "TXT", dkimHost, dkimValue, { required: true })] : []),
      ...(returnPath && target
        ? [uncheckedRecord("RETURN_PATH", "CNAME", returnPath, target, { required: false })]
        : []),
    ],
  };
}
