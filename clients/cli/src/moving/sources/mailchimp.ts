import { basename } from "node:path";
import { z } from "zod";
import { Refusal } from "../../command";
import type { Account, State } from "../account";
import { type Api, byOffset } from "../api";
import { keyOfField, mergeTags } from "../languages/merge-tags";
import type { Source } from "../source";
import { Cells, keyOf, type Row } from "../table";
import { timeOf } from "../time";

const Audiences = z.object({ lists: z.array(z.object({ id: z.string(), name: z.string() })) });
const Fields = z.object({ merge_fields: z.array(z.object({ tag: z.string(), name: z.string() })) });
const Categories = z.object({ categories: z.array(z.object({ id: z.string() })) });
const Interests = z.object({ interests: z.array(z.object({ id: z.string(), name: z.string() })) });
const text = z.string().nullish();
const Member = z.object({
  ...{ email_address: z.string(), status: z.string(), source: text, language: text },
  ...{ ip_opt: text, timestamp_signup: text, timestamp_opt: text, last_changed: text },
  merge_fields: z.record(z.string(), z.unknown()).nullish(),
  interests: z.record(z.string(), z.boolean()).nullish(),
  tags: z.array(z.object({ name: z.string() })).nullish(),
});
const Members = z.object({ members: z.array(Member) });
const Templates = z.object({
  templates: z.array(z.object({ id: z.number(), name: z.string(), type: z.string() })),
});
const Content = z.object({ html: z.string().nullish() });

const states: Record<string, State> = {
  subscribed: "subscribed",
  unsubscribed: "left",
  pending: "out",
  transactional: "out",
  cleaned: "out",
};

/** An account can have several audiences, of which one is imported at a time. Groups become topics. */
export function mailchimp(): Source {
  const fields = new Map<string, string>();
  return {
    name: "Mailchimp",
    export:
      "the files of Audience, Export audience, once unpacked: subscribed…, unsubscribed…, cleaned…, nonsubscribed….csv",
    readRow: (account, row, file) => readRow(account, row, basename(file)),
    api: {
      keyName: "MAILCHIMP_API_KEY",
      connect({ key, url }) {
        const place = key.split("-").at(-1);
        const headers = { Authorization: `Basic ${Buffer.from(`petrel:${key}`).toString("base64")}` };
        return { baseUrl: url ?? `https://${place}.api.mailchimp.com`, headers };
      },
      async read(account, api, { audience }) {
        const list = `/3.0/lists/${await findAudience(api, audience)}`;
        const { merge_fields } = await api.get(Fields, `${list}/merge-fields`, { count: 1000 });
        for (const { tag, name } of merge_fields) fields.set(tag, keyOfField(tag, name));
        const topics = await readGroups(account, api, list);
        const page = (offset: number) => api.get(Members, `${list}/members`, { count: 1000, offset });
        for await (const member of byOffset(1000, async (offset) => (await page(offset)).members))
          readMember(account, member, topics);
        await readTemplates(account, api);
      },
    },
    language: mergeTags(fields),
  };

  function readMember(account: Account, member: z.infer<typeof Member>, topics: Map<string, string>): void {
    const state = states[member.status];
    if (state === undefined) {
      account.leaveOut(member.status);
      return;
    }
    const { email_address: email, interests, tags, source, language, ip_opt } = member;
    if (member.status === "cleaned") account.suppress(email, "bounce", member.last_changed);
    const merged = Object.entries(member.merge_fields ?? {});
    const data = Object.fromEntries(merged.map(([tag, value]) => [fields.get(tag) ?? tag, value]));
    account.addPerson({
      ...{ email, state },
      ...timesOf(state, member.timestamp_signup, member.timestamp_opt, member.last_changed),
      ...(topics.size > 0 && { topics: [...topics].flatMap(([id, name]) => (interests?.[id] ? [name] : [])) }),
      data: {
        ...data,
        ...{ locale: language, consentSource: source, consentIp: ip_opt },
        tags: tags?.map(({ name }) => name).join(", "),
      },
    });
  }
}

/**
 * Returns the times of a member. A member who signed up by a form and confirmed has both `signedUp` and `optedIn`; a
 * member who was added has only `optedIn`.
 */
function timesOf(state: State, signedUp: unknown, optedIn: unknown, changed: unknown) {
  const [signedUpAt, optedInAt] = [timeOf(signedUp), timeOf(optedIn)];
  return {
    createdAt: signedUpAt ?? optedInAt,
    confirmedAt: signedUpAt && state !== "out" ? optedInAt : undefined,
    optedOutAt: state === "left" ? timeOf(changed) : undefined,
  };
}

async function findAudience(api: Api, wanted: string | undefined): Promise<string> {
  const { lists } = await api.get(Audiences, "/3.0/lists", { count: 1000 });
  const found = wanted === undefined ? lists : lists.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1 && found[0]) return found[0].id;
  throw new Refusal(`Choose one by --audience: ${lists.map(({ name }) => name).join(", ")}`);
}

/** Adds the groups as topics. Returns their names by their ids. */
async function readGroups(account: Account, api: Api, list: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const { categories } = await api.get(Categories, `${list}/interest-categories`, { count: 100 });
  for (const { id } of categories) {
    const { interests } = await api.get(Interests, `${list}/interest-categories/${id}/interests`, { count: 100 });
    for (const { id, name } of interests) {
      names.set(id, name);
      account.addTopic({ name, defaultSubscribed: false });
    }
  }
  return names;
}

async function readTemplates(account: Account, api: Api): Promise<void> {
  const { templates } = await api.get(Templates, "/3.0/templates", { count: 1000, type: "user" });
  for (const { id, name, type } of templates) {
    const { html } = await api.get(Content, `/3.0/templates/${id}/default-content`);
    if (html) account.templates.push({ name, subject: name, body: html });
    else
      account.notes.push(
        `The API does not give the HTML of the template ${name} (${type}): export it, and give its file`,
      );
  }
}

/** Reads a row of an exported file. The name of the file tells the state of all its people. */
function readRow(account: Account, row: Row, file: string): void {
  const [, kind = ""] = /^(unsubscribed|nonsubscribed|subscribed|cleaned)/i.exec(file) ?? [];
  if (kind === "") throw new Refusal(`${file}: its name must say whom it has, as Mailchimp names it: subscribed….csv`);
  const state = states[kind === "nonsubscribed" ? "transactional" : kind.toLowerCase()] ?? "out";
  const cells = new Cells(row);
  const email = cells.take("Email Address", "email") ?? "";
  const changed = cells.take("UNSUB_TIME", "CLEAN_TIME") ?? cells.take("LAST_CHANGED");
  if (kind === "cleaned") account.suppress(email, "bounce", changed);
  const times = timesOf(state, cells.take("OPTIN_TIME"), cells.take("CONFIRM_TIME"), changed);
  const own = {
    tags: cells.take("TAGS")?.replaceAll('"', ""),
    consentIp: cells.take("CONFIRM_IP", "OPTIN_IP"),
    unsubscribeReason: cells.take("UNSUB_REASON", "UNSUB_REASON_OTHER"),
  };
  cells.take("MEMBER_RATING", "LATITUDE", "LONGITUDE", "GMTOFF", "DSTOFF", "TIMEZONE", "CC", "REGION", "LEID", "EUID");
  cells.take("NOTES", "UNSUB_CAMPAIGN_TITLE", "UNSUB_CAMPAIGN_ID", "CLEAN_CAMPAIGN_TITLE", "CLEAN_CAMPAIGN_ID");
  account.addPerson({ email, state, ...times, data: { ...cells.rest(keyOf), ...own } });
}
