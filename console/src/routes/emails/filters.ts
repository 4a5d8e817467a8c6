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

/** The address of the page has its filters. What they may be, the service says. */
export function readEmailFilters(search: Record<string, unknown>): EmailFilters {
  const given = names.filter((name) => typeof search[name] === "string" && search[name] !== "");
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}
