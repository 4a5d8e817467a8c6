import { type Campaign, NotFoundError, type Petrel } from "petrel-client";

/** The service judges each campaign by a separate call. */
const mostAsked = 20;
const atOnce = 5;

interface CampaignsAhead {
  reaching: Campaign[];
  /** The number of campaigns that are scheduled for later than the judged ones. */
  later: number;
}

/** Finds which of the next scheduled campaigns would reach a person. */
export async function campaignsAhead(petrel: Petrel, person: string, signal: AbortSignal): Promise<CampaignsAhead> {
  const next = { status: "SCHEDULED", sort: "scheduledFor", dir: "asc", pageSize: mostAsked } as const;
  const { data, total } = await petrel.campaigns.list(next, { signal });
  const reaching: Campaign[] = [];
  for (let from = 0; from < data.length; from += atOnce) {
    const some = data.slice(from, from + atOnce);
    const verdicts = await Promise.all(some.map(({ id }) => verdictOf(petrel, { person, campaign: id }, signal)));
    reaching.push(...some.filter((_, place) => verdicts[place] === "WILL_RECEIVE"));
  }
  return { reaching, later: Math.max(0, total - data.length) };
}

/** Null when the campaign was deleted after it was listed. */
async function verdictOf(
  petrel: Petrel,
  { person, campaign }: { person: string; campaign: string },
  signal: AbortSignal,
) {
  try {
    return (await petrel.contacts.explain(person, { campaignId: campaign }, { signal })).verdict;
  } catch (error) {
    if (error instanceof NotFoundError && error.details.resource === "campaign") return null;
    throw error;
  }
}
