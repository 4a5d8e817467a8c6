/**
 * The names of list parameters in other APIs, and our parameters with the same meaning. A name stands for the first of
 * these parameters that the route has.
 */
const elsewhere: [names: string[], here: string[], advice: string][] = [
  [
    ["page", "offset", "skip", "page_token", "pageToken", "after", "starting_after", "next"],
    ["cursor"],
    "This list has no numbered pages: ask for the next page with ?cursor= and the cursor of this one",
  ],
  [["offset", "skip", "cursor", "after"], ["page"], "This list has numbered pages: ask with ?page=2&pageSize=50"],
  [
    ["per_page", "perPage", "page_size", "pageSize", "count", "size", "limit", "max_results", "take"],
    ["limit", "pageSize"],
    "The length of a page is",
  ],
  [["q", "query", "name", "term"], ["search", "name"], "Search with"],
  [["order_by", "orderBy", "sort_by", "sortBy", "order"], ["sort"], "Sort with"],
  [["direction", "sort_order", "sortOrder", "order"], ["dir"], "The direction is"],
  [["since", "from", "start", "start_date", "after_date"], ["startDate"], "The first day or time is"],
  [["until", "end", "end_date", "before_date"], ["endDate"], "The last day or time is"],
  [["state"], ["status"], "Filter with"],
  [["event", "event_name", "eventName"], ["name"], "Filter with"],
  [["contact", "contact_id", "user_id"], ["contactId"], "Filter with"],
];

/** Returns advice about an unknown parameter; null when the name is not listed. */
export function parameterAdvice(name: string, known: ReadonlySet<string>): string | null {
  for (const [names, here, advice] of elsewhere) {
    const meant = names.includes(name) ? here.find((one) => known.has(one)) : undefined;
    if (meant !== undefined) return advice.includes("?") ? advice : `${advice} ?${meant}=`;
  }
  return null;
}
