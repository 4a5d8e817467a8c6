import { z } from "zod";
import { BadRequest } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import { pick, rowsOf } from "../fields";
import { idOf } from "../named";
import { type Outcome, readingTool } from "../tool";
import { Segment } from "./arguments";

const mostContacts = 20;

const fields = [
  ...["id", "email", "subscribed", "source", "locale", "data", "snoozedUntil", "optedOutAt", "confirmedAt"],
  "createdAt",
];

export const findContacts = readingTool({
  name: "find_contacts",
  title: "Find contacts",
  description:
    "Find people by email address or a part of it, or list the members of a segment. Returns up to 20 contacts with their " +
    "ids, subscription state and data. Pass cursor of one answer as cursor of the next call for more.",
  input: z.strictObject({
    email: z.string().optional().describe("An address, or a part of one such as @example.com."),
    segment: Segment.optional().describe(
      "A segment's id or exact name, to list its contacts. Not together with email.",
    ),
    subscribed: z
      .boolean()
      .optional()
      .describe("Whether to return only contacts who are subscribed, or only those who are not."),
    limit: z.int().min(1).max(mostContacts).default(10),
    cursor: z.string().optional(),
  }),
  async run({ api }, { email, segment, subscribed, limit, cursor }): Promise<Outcome> {
    if (segment === undefined) {
      const query = { search: email, subscribed: subscribed === undefined ? undefined : String(subscribed) };
      const page = await api.get("/contacts", { ...query, limit, cursor });
      return { data: { contacts: contactsIn(page), ...pick(page, "total", "cursor", "hasMore") } };
    }
    if (email !== undefined || subscribed !== undefined) {
      throw new BadRequest("A segment's contacts cannot be filtered by email or subscribed.", {
        suggestion: "Pass segment alone, or email without segment.",
      });
    }
    const id = await idOf(api, "segment", segment);
    // A segment's pages are numbered, so the cursor is the number of the next page.
    const page = await api.get(`/segments/${id}/contacts`, { page: cursor ?? "1", pageSize: limit });
    const hasMore = Number(page.page) * limit < Number(page.total);
    const next = hasMore && { cursor: String(Number(page.page) + 1) };
    return { data: { contacts: contactsIn(page), ...pick(page, "total"), hasMore, ...next } };
  },
});

function contactsIn(page: JsonObject): JsonObject[] {
  return rowsOf(page.data).map((contact) => pick(contact, ...fields));
}
