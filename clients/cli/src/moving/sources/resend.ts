import { z } from "zod";
import type { Account } from "../account";
import type { Api } from "../api";
import { resendBraces } from "../languages/braces";
import type { Source } from "../source";
import { Cells, yesOrNo } from "../table";
import { timeOf } from "../time";

const text = z.string().nullish();
const Contact = z.object({
  ...{ id: z.string(), email: z.string(), first_name: text, last_name: text, created_at: text },
  unsubscribed: z.boolean(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});
const Topic = z.object({ id: z.string(), name: z.string(), description: text, default_subscription: text });
const Choice = z.object({ id: z.string(), name: z.string(), subscription: z.string() });
const Suppression = z.object({ id: z.string(), email: z.string(), origin: z.string(), created_at: text });
const Property = z.object({ id: z.string() });
const Listed = z.object({ id: z.string(), name: z.string() });
const Template = z.object({
  ...{ subject: text, html: text, from: text },
  variables: z
    .array(z.object({ key: z.string(), fallback_value: z.union([z.string(), z.number()]).nullish() }))
    .nullish(),
});

/**
 * Topics and properties are read contact by contact, because the lists lack them. Templates are those of single emails.
 */
export const resend: Source = {
  name: "Resend",
  export: "the CSV file of Audience, Export",
  readRow(account, row) {
    const cells = new Cells(row);
    const [email = "", hasLeft] = [cells.take("email"), yesOrNo(cells.take("unsubscribed")) === true];
    const createdAt = timeOf(cells.take("created_at"));
    const [firstName, lastName] = [cells.take("first_name"), cells.take("last_name")];
    cells.take("id");
    const data = { ...cells.rest(), firstName, lastName };
    account.addPerson({ email, state: hasLeft ? "left" : "subscribed", createdAt, data });
  },
  api: {
    keyName: "RESEND_API_KEY",
    connect: ({ key, url = "https://api.resend.com" }) => ({
      baseUrl: url,
      headers: { Authorization: `Bearer ${key}` },
    }),
    async read(account, api) {
      for await (const { email, origin, created_at } of pages(api, Suppression, "/suppressions"))
        account.suppress(email, origin === "bounce" || origin === "complaint" ? origin : "manual", created_at);
      for await (const { name, description, default_subscription } of pages(api, Topic, "/topics")) {
        const defaultSubscribed = default_subscription !== "opt_out";
        account.addTopic({ name, description: description ?? undefined, defaultSubscribed });
      }
      const hasProperties = !(await pages(api, Property, "/contact-properties").next()).done;
      for await (const contact of pages(api, Contact, "/contacts"))
        await readContact(account, api, hasProperties ? await api.get(Contact, `/contacts/${contact.id}`) : contact);
      for await (const { id, name } of pages(api, Listed, "/templates")) await readTemplate(account, api, id, name);
    },
  },
  language: resendBraces,
};

/** Resend does not record the time of an opt-out. */
async function readContact(account: Account, api: Api, contact: z.infer<typeof Contact>): Promise<void> {
  const { id, email, first_name: firstName, last_name: lastName, created_at, unsubscribed, properties } = contact;
  const topics: string[] = [];
  if (account.topics.size > 0) {
    for await (const { name, subscription } of pages(api, Choice, `/contacts/${id}/topics`))
      if (subscription === "opt_in") topics.push(name);
  }
  account.addPerson({
    ...{ email, state: unsubscribed ? "left" : "subscribed", createdAt: timeOf(created_at) },
    ...(account.topics.size > 0 && { topics }),
    data: { ...properties, firstName, lastName },
  });
}

async function readTemplate(account: Account, api: Api, id: string, name: string): Promise<void> {
  const { subject, html, from, variables } = await api.get(Template, `/templates/${id}`);
  const fallbacks = (variables ?? []).flatMap(({ key, fallback_value: value }) =>
    value ? [[key, String(value)]] : [],
  );
  account.templates.push({
    ...{ name, subject: subject || name, body: html ?? "", from: from ?? undefined },
    ...{ type: "TRANSACTIONAL", fallbacks: Object.fromEntries(fallbacks) },
  });
}

async function* pages<Item extends z.ZodType<{ id: string }>>(api: Api, item: Item, path: string) {
  const Page = z.object({ has_more: z.boolean().default(false), data: z.array(item) });
  for (let after: string | undefined; ; ) {
    const page = await api.get(Page, path, { limit: 100, after });
    yield* page.data;
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return;
  }
}
