import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { asFlag, asId, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { DomainRow } from "../../../db/tables";
import { type AttentionCheck, maxItems } from "../check";
import type { AttentionItem } from "../schema";

const readDomain = columns({
  id: asId,
  domain: asText,
  status: asOneOf<DomainRow["status"]>(),
  failingSince: orNull(asNumber),
  createdAt: asNumber,
});

/** The maximum number of domains that are read. Few projects have as many as ten. */
const maxLooked = 1_000;

/**
 * Finds sender domains that are not verified, and those that have lost their DNS records. For a new project, suggests
 * the first steps: adding a domain and sending a first email.
 */
export const checkDomains: AttentionCheck = (ctx, batch) => {
  const looked = sql`(SELECT * FROM domains WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT ${maxLooked})`;
  const bad = batch.add(
    statement(
      sql`SELECT id, domain, status, failing_since, created_at FROM ${looked}
        WHERE status <> 'VERIFIED' OR failing_since IS NOT NULL LIMIT ${maxItems}`,
      readDomain,
    ),
  );
  const first = batch.add(
    statement(
      sql`SELECT EXISTS (SELECT 1 FROM ${looked} WHERE status = 'VERIFIED') AS has_domain,
        EXISTS (SELECT 1 FROM emails WHERE ${inProject(ctx)}) AS has_mail`,
      columns({ hasDomain: asFlag, hasMail: asFlag }),
    ),
  );
  return () => {
    const { hasDomain, hasMail } = first.one;
    return [...bad.all.map(itemOf), ...(hasDomain ? [] : [noDomain]), ...(hasMail || !hasDomain ? [] : [noMail])];
  };
};

function itemOf({ id, domain, status, failingSince, createdAt }: ReturnType<typeof readDomain>): AttentionItem {
  const isFailing = status === "VERIFIED";
  return {
    code: isFailing ? "domain_failing" : "domain_unverified",
    severity: isFailing ? "act" : "warn",
    message: isFailing
      ? `The DNS records of ${domain} are missing or wrong. After 72 hours, mail from it is refused.`
      : `${domain} is not verified: mail from it is refused.`,
    count: 1,
    since: iso(failingSince ?? createdAt),
    target: { type: "domain", id: publicId(id), name: domain },
    action: {
      text: "Create the DNS records of the domain, then have it checked again.",
      method: "GET",
      path: `/domains/${publicId(id)}/verify`,
    },
  };
}

const noDomain: AttentionItem = {
  code: "no_verified_domain",
  severity: "act",
  message: "The project has no verified sender domain, so it cannot send.",
  count: 1,
  since: null,
  target: null,
  action: { text: "Add a domain, and create the DNS records that the answer lists.", method: "POST", path: "/domains" },
};

const noMail: AttentionItem = {
  code: "no_mail_yet",
  severity: "info",
  message: "The project has not sent an email yet.",
  count: 1,
  since: null,
  target: null,
  action: { text: "Send a first email, to yourself.", method: "POST", path: "/v1/send" },
};
