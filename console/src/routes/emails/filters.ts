import type { ListEmailsData } from "petrel-client";

type Query = NonNullable<ListEmailsData["query"]>;
export type EmailFilters = Pick<
  Query,
  "to" | "status" | "countedAs" | "source" | "campaignId" | "templateId" | "contactId" | "startDate" | "endDate"
>;

const names = [
  "to",
  "status",
  "countedAs",
  "source",
  "campaignId",
  "templateId",
  "contactId",
  "startDate",
  "endDate",
] as const;

/** Reads the filters from the page's address. The service checks them. */
export function readEmailFilters(search: Record<string, unknown>): EmailFilters {
  const given = names.filter((name) => typeof search[name] === "string" && search[name] !== "");
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}
