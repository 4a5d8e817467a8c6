import { basename } from "node:path";
import { z } from "zod";
import { Refusal } from "../../command";
import type { Account, SuppressionReason } from "../account";
import { type Api, byOffset } from "../api";
import { handlebars } from "../languages/handlebars";
import type { Source } from "../source";
import { Cells, type Row, rowsOf } from "../table";
import { timeOf } from "../time";

const Suppressed = z.array(z.object({ email: z.string(), created: z.number() }));
const Groups = z.array(z.object({ id: z.number(), name: z.string(), description: z.string().nullish() }));
const Left = z.array(z.object({ email: z.string(), group_name: z.string() }));
const Export = z.object({ id: z.string() });
const Exported = z.object({ status: z.string(), urls: z.array(z.string()).nullish() });
const Templates = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });
const Template = z.object({
  versions: z.array(
    z.object({ active: z.number(), subject: z.string().nullish(), html_content: z.string().nullish() }),
  ),
});

/** The lists of addresses that get no mail. Blocks are left out, because a block is a temporary refusal. */
const lists: Record<string, SuppressionReason> = {
  bounces: "bounce",
  invalid_emails: "bounce",
  spam_reports: "complaint",
  unsubscribes: "unsubscribe",
};

/**
 * In SendGrid, contacts are subscribed unless a list of suppressions has their address. Unsubscribe groups become
 * topics. A person who left a group need not be a contact.
 */
export const sendgrid: Source = {
  name: "SendGrid",
  export: `the CSV file of Contacts, Export, and those of Suppressions: ${Object.keys(lists).join(", ")}.csv`,
  readRow(account, row, file) {
    const name = basename(file).toLowerCase();
    const list = Object.keys(lists).find((one) => name.includes(one) || name.includes(one.replaceAll("_", "-")));
    if (list === undefined) return readContact(account, row, new Map());
    const cells = new Cells(row);
    suppress(account, list, cells.take("email") ?? "", cells.take("created"));
  },
  api: {
    keyName: "SENDGRID_API_KEY",
    connect: ({ key, url = "https://api.sendgrid.com" }) => ({
      baseUrl: url,
      headers: { Authorization: `Bearer ${key}` },
    }),
    async read(account, api) {
      for (const list of Object.keys(lists)) {
        const page = (offset: number) => api.get(Suppressed, `/v3/suppression/${list}`, { limit: 500, offset });
        for await (const { email, created } of byOffset(500, page)) suppress(account, list, email, created);
      }
      const left = await readGroups(account, api);
      for (const row of await exportContacts(api)) readContact(account, row, left);
      for (const [email, names] of left)
        if (!account.has(email))
          account.addPerson({ email, state: "out", topics: topicsBut(account, names), data: {} });
      await readTemplates(account, api);
    },
  },
  language: handlebars,
};

/** Suppresses an address. A person who unsubscribed is added as one who left, because they need not be a contact there. */
function suppress(account: Account, list: string, email: string, created: string | number | undefined): void {
  const reason = lists[list] ?? "manual";
  account.suppress(email, reason, created);
  if (reason !== "unsubscribe") return;
  account.addPerson({ email, state: "left", optedOutAt: timeOf(created), data: {} });
}

/** Adds the groups as topics. Returns the names of the groups that people left, by the people's addresses. */
async function readGroups(account: Account, api: Api): Promise<Map<string, Set<string>>> {
  for (const { name, description } of await api.get(Groups, "/v3/asm/groups"))
    account.addTopic({ name, description: description ?? undefined, defaultSubscribed: true });
  const left = new Map<string, Set<string>>();
  for (const { email, group_name } of await api.get(Left, "/v3/asm/suppressions")) {
    const address = email.toLowerCase();
    left.set(address, (left.get(address) ?? new Set()).add(group_name));
  }
  return left;
}

function topicsBut(account: Account, left: Set<string> = new Set()): string[] {
  return [...account.topics.keys()].filter((name) => !left.has(name));
}

function readContact(account: Account, row: Row, left: Map<string, Set<string>>): void {
  const cells = new Cells(row);
  const email = cells.take("email") ?? "";
  const createdAt = timeOf(cells.take("created_at"));
  cells.take("contact_id", "updated_at", "id", "lists", "segments");
  // The file writes SendGrid's own fields in capitals, unlike templates.
  const data = cells.rest((name) => (name === name.toUpperCase() ? name.toLowerCase() : name));
  const hasLeft = left.get(email.toLowerCase());
  const topics = hasLeft && { topics: topicsBut(account, hasLeft) };
  account.addPerson({ email, state: "subscribed", createdAt, ...topics, data });
}

async function exportContacts(api: Api): Promise<Row[]> {
  const { id } = await api.post(Export, "/v3/marketing/contacts/exports", { file_type: "csv" });
  for (let waitMs = 200; ; waitMs = Math.min(2 * waitMs, 10_000)) {
    const { status, urls } = await api.get(Exported, `/v3/marketing/contacts/exports/${id}`);
    if (status === "failure")
      throw new Refusal("SendGrid's export of contacts failed: export them by hand, and give the file");
    if (status === "ready") {
      const files = await Promise.all((urls ?? []).map((url) => api.download(url)));
      return files.flatMap((bytes) => rowsOf(bytes, "SendGrid's export"));
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function readTemplates(account: Account, api: Api): Promise<void> {
  const { result } = await api.get(Templates, "/v3/templates", { generations: "dynamic", page_size: 200 });
  for (const { id, name } of result) {
    const { versions } = await api.get(Template, `/v3/templates/${id}`);
    const active = versions.find((version) => version.active === 1);
    if (active?.html_content)
      account.templates.push({ name, subject: active.subject || name, body: active.html_content });
    else account.notes.push(`The template ${name} has no active version with HTML`);
  }
}
