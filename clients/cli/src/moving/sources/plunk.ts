import { z } from "zod";
import type { Account } from "../account";
import type { Api } from "../api";
import { plunkLiquid } from "../languages/liquid";
import type { Source } from "../source";
import { Cells, yesOrNo } from "../table";
import { timeOf } from "../time";

const Contacts = z.object({
  data: z.array(
    z.object({
      email: z.string(),
      subscribed: z.boolean(),
      createdAt: z.string().nullish(),
      data: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  cursor: z.string().nullish(),
  hasMore: z.boolean(),
});

const Templates = z.object({
  data: z.array(
    z.object({
      ...{ name: z.string(), subject: z.string(), body: z.string(), from: z.string().nullish() },
      type: z.enum(["MARKETING", "TRANSACTIONAL", "HEADLESS"]).nullish(),
    }),
  ),
  totalPages: z.number(),
});

/** Plunk does not distinguish people who left from people who were never subscribed. */
export const plunk: Source = {
  name: "Plunk",
  export: "the CSV file of Contacts, Export",
  readRow(account, row) {
    const cells = new Cells(row);
    const [email = "", subscribed] = [cells.take("email"), yesOrNo(cells.take("subscribed"))];
    const createdAt = timeOf(cells.take("createdAt"));
    cells.take("id", "updatedAt");
    account.addPerson({ email, state: subscribed === false ? "out" : "subscribed", createdAt, data: cells.rest() });
  },
  api: {
    keyName: "PLUNK_API_KEY",
    connect: ({ key, url = "https://next-api.useplunk.com" }) => ({
      baseUrl: url,
      headers: { Authorization: `Bearer ${key}` },
    }),
    async read(account, api) {
      await readContacts(account, api);
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { data, totalPages } = await api.get(Templates, "/templates", { page, pageSize: 100 });
        for (const { from, type, ...rest } of data)
          account.templates.push({ ...rest, from: from ?? undefined, type: type ?? undefined });
        pages = totalPages;
      }
    },
  },
  language: plunkLiquid,
};

async function readContacts(account: Account, api: Api): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const page = await api.get(Contacts, "/contacts", { limit: 100, cursor });
    for (const { email, subscribed, createdAt, data } of page.data) {
      const state = subscribed ? "subscribed" : "out";
      account.addPerson({ email, state, createdAt: timeOf(createdAt), data: data ?? {} });
    }
    if (!page.hasMore || !page.cursor) return;
    cursor = page.cursor;
  }
}
