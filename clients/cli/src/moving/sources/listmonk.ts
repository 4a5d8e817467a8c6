import { z } from "zod";
import { Refusal } from "../../command";
import type { Account, Person } from "../account";
import type { Api } from "../api";
import { goTemplates } from "../languages/go";
import type { Source } from "../source";
import { timeOf } from "../time";

const text = z.string().nullish();
const Subscription = z.object({
  ...{ name: z.string(), type: z.string(), subscription_status: z.string() },
  ...{ optin: text, subscription_created_at: text, subscription_updated_at: text },
});
const Subscriber = z.object({
  ...{ email: z.string(), name: text, status: z.string(), created_at: text, updated_at: text },
  attribs: z.record(z.string(), z.unknown()).nullish(),
  lists: z.array(Subscription).nullish(),
});
const List = z.object({ name: z.string(), type: z.string(), description: text });
const Bounce = z.object({ email: z.string(), type: z.string(), created_at: text });
const Templates = z.object({
  data: z.array(z.object({ name: z.string(), type: z.string(), subject: text, body: z.string() })),
});

/** Public lists become topics. A person who is in no list gets no campaigns from listmonk, and gets none here. */
export const listmonk: Source = {
  name: "listmonk",
  export: "none: its file of subscribers does not say who left which list",
  readRow() {
    throw new Refusal("listmonk's file does not say who left which list. Say no file, and --url with LISTMONK_API_KEY");
  },
  api: {
    keyName: "LISTMONK_API_KEY",
    connect({ key, url }) {
      if (url === undefined) throw new Refusal("Say where listmonk runs: --url https://lists.acme.com");
      if (!key.includes(":")) throw new Refusal("LISTMONK_API_KEY is the API user and its token: user:token");
      return { baseUrl: url, headers: { Authorization: `Basic ${Buffer.from(key).toString("base64")}` } };
    },
    async read(account, api) {
      for await (const { email, type, created_at } of pages(api, Bounce, "/api/bounces")) {
        if (type === "hard") account.suppress(email, "bounce", created_at);
        else if (type === "complaint") account.suppress(email, "complaint", created_at);
        else account.leaveOut("soft bounce");
      }
      for await (const { name, type, description } of pages(api, List, "/api/lists"))
        if (type === "public")
          account.addTopic({ name, description: description ?? undefined, defaultSubscribed: false });
      for await (const subscriber of pages(api, Subscriber, "/api/subscribers")) {
        if (subscriber.status === "blocklisted") account.suppress(subscriber.email, "manual", subscriber.updated_at);
        account.addPerson(personOf(subscriber));
      }
      await readTemplates(account, api);
    },
  },
  language: goTemplates,
};

function personOf({ email, name, status, created_at, updated_at, attribs, lists }: z.infer<typeof Subscriber>): Person {
  const mine = lists ?? [];
  // Only a list with double opt-in waits for a confirmation.
  const isIn = ({ subscription_status: said, optin }: z.infer<typeof Subscription>) =>
    said === "confirmed" || (said === "unconfirmed" && optin !== "double");
  const within = mine.filter(isIn);
  const left = mine.filter(({ subscription_status }) => subscription_status === "unsubscribed");
  const hasLeft = status === "blocklisted" || (within.length === 0 && left.length > 0 && left.length === mine.length);
  const state = hasLeft ? "left" : status === "enabled" && within.length > 0 ? "subscribed" : "out";
  const confirmed = mine.filter((list) => list.optin === "double" && list.subscription_status === "confirmed");
  const inside = mine.filter(({ type }) => type !== "public").map((list) => list.name);
  return {
    ...{ email, state, createdAt: timeOf(created_at) },
    confirmedAt: earliest(confirmed.map((list) => timeOf(list.subscription_updated_at))),
    optedOutAt: hasLeft
      ? (earliest(left.map((list) => timeOf(list.subscription_updated_at))) ?? timeOf(updated_at))
      : undefined,
    topics: within.filter(({ type }) => type === "public").map((list) => list.name),
    data: { ...attribs, name, privateLists: inside.join(", ") },
  };
}

function earliest(times: (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).toSorted()[0];
}

async function readTemplates(account: Account, api: Api): Promise<void> {
  const { data } = await api.get(Templates, "/api/templates");
  for (const { name, type, subject, body } of data) {
    if (type === "tx") account.templates.push({ name, type: "TRANSACTIONAL", subject: subject || name, body });
    else account.notes.push(`The template ${name} is a layout of campaigns, which have none here: it was not taken`);
  }
}

async function* pages<Item extends z.ZodType>(api: Api, item: Item, path: string) {
  const Page = z.object({ data: z.object({ results: z.array(item), total: z.number() }) });
  for (let page = 1, seen = 0; ; page++) {
    const { results, total } = (await api.get(Page, path, { page, per_page: 1000, order_by: "id", order: "asc" })).data;
    yield* results;
    seen += results.length;
    if (results.length === 0 || seen >= total) return;
  }
}
