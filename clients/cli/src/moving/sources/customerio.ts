import { z } from "zod";
import { Refusal } from "../../command";
import type { Account, OldTemplate, SuppressionReason } from "../account";
import { type Api, byOffset } from "../api";
import { customerLiquid } from "../languages/liquid";
import type { Source } from "../source";
import { Cells, type Row, rowsOf, yesOrNo } from "../table";
import { timeOf } from "../time";

const Suppressed = z.object({ suppressions: z.array(z.object({ email: z.string(), created: z.number() })).nullish() });
const Topics = z.object({
  topics: z.array(
    z.object({
      identifier: z.string(),
      name: z.string(),
      description: z.string().nullish(),
      subscribed_by_default: z.boolean(),
    }),
  ),
});
const Export = z.object({ export: z.object({ id: z.number(), status: z.string() }) });
const Download = z.object({ url: z.string() });
const named = z.array(z.object({ id: z.number(), name: z.string() }));
const Newsletters = z.object({ newsletters: named });
const Messages = z.object({ messages: named });
const Contents = z.object({
  contents: z.array(
    z.object({ subject: z.string().nullish(), body: z.string().nullish(), from: z.string().nullish() }),
  ),
});

/** The lists of addresses that get no mail. Blocks are left out, because a block is a temporary refusal. */
const lists: Record<string, SuppressionReason> = {
  bounces: "bounce",
  invalid_emails: "bounce",
  spam_reports: "complaint",
};

/** The topics are those of Customer.io's subscription center. */
export function customerio(): Source {
  /** The names of topics, by the identifiers in people's preferences. */
  const names = new Map<string, string>();
  const defaults = new Map<string, boolean>();
  return {
    name: "Customer.io",
    export: "the CSV file of People, Export, with all attributes",
    readRow,
    api: {
      keyName: "CUSTOMERIO_APP_KEY",
      connect: ({ key, url = "https://api.customer.io" }) => ({
        baseUrl: url,
        headers: { Authorization: `Bearer ${key}` },
      }),
      async read(account, api) {
        for (const [list, reason] of Object.entries(lists)) {
          const page = async (offset: number) =>
            (await api.get(Suppressed, `/v1/esp/suppression/${list}`, { limit: 1000, offset })).suppressions ?? [];
          for await (const { email, created } of byOffset(1000, page)) account.suppress(email, reason, created);
        }
        const { topics } = await api.get(Topics, "/v1/subscription_topics");
        for (const { identifier, name, description, subscribed_by_default: isIn } of topics) {
          names.set(identifier, name);
          defaults.set(name, isIn);
          account.addTopic({ name, description: description ?? undefined, defaultSubscribed: isIn });
        }
        for (const row of await exportPeople(api)) readRow(account, row);
        await readTemplates(account, api);
      },
    },
    language: customerLiquid,
  };

  function readRow(account: Account, row: Row): void {
    const cells = new Cells(row);
    const email = cells.take("email") ?? "";
    const hasLeft = yesOrNo(cells.take("unsubscribed")) === true;
    const createdAt = timeOf(cells.take("created_at")) ?? timeOf(cells.take("_created_in_customerio_at"));
    const chosen = preferencesIn(cells, names);
    cells.take("id", "cio_id", "_created_in_customerio_at");
    const isIn = (name: string) => chosen.get(name) ?? defaults.get(name) ?? false;
    account.addPerson({
      ...{ email, state: hasLeft ? "left" : "subscribed", createdAt },
      ...(chosen.size > 0 && { topics: [...names.values()].filter(isIn) }),
      data: cells.rest(),
    });
  }
}

/** Reads preferences, which are one JSON cell, or a column each. */
function preferencesIn(cells: Cells, names: Map<string, string>): Map<string, boolean> {
  const chosen = new Map<string, boolean>();
  const whole = cells.take("cio_subscription_preferences");
  const { topics = {} }: { topics?: Record<string, unknown> } = whole ? parsed(whole) : {};
  if (whole !== undefined && names.size === 0)
    throw new Refusal(
      "The file has people's choices of topics, and not the topics: say no file, and set CUSTOMERIO_APP_KEY",
    );
  for (const [identifier, name] of names) {
    const own = yesOrNo(cells.take(`cio_subscription_preferences.topics.${identifier}`));
    const said = own ?? topics[identifier];
    if (typeof said === "boolean") chosen.set(name, said);
  }
  return chosen;
}

function parsed(cell: string): object {
  try {
    const value: unknown = JSON.parse(cell);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The text is reported below, like any other.
  }
  throw new Refusal(`The cell of cio_subscription_preferences is no JSON: ${cell.slice(0, 60)}`);
}

async function exportPeople(api: Api): Promise<Row[]> {
  const filters = { and: [{ attribute: { field: "email", operator: "exists" } }] };
  let { export: asked } = await api.post(Export, "/v1/exports/customers", { filters });
  for (let waitMs = 200; asked.status !== "done"; waitMs = Math.min(2 * waitMs, 10_000)) {
    if (asked.status === "failed")
      throw new Refusal("Customer.io's export of people failed: export them by hand, and give the file");
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    asked = (await api.get(Export, `/v1/exports/${asked.id}`)).export;
  }
  const { url } = await api.get(Download, `/v1/exports/${asked.id}/download`);
  return rowsOf(await api.download(url), "Customer.io's export");
}

async function readTemplates(account: Account, api: Api): Promise<void> {
  const { newsletters } = await api.get(Newsletters, "/v1/newsletters");
  for (const { id, name } of newsletters)
    addContents(account, { name, type: "MARKETING" }, await api.get(Contents, `/v1/newsletters/${id}/contents`));
  const { messages } = await api.get(Messages, "/v1/transactional");
  for (const { id, name } of messages)
    addContents(account, { name, type: "TRANSACTIONAL" }, await api.get(Contents, `/v1/transactional/${id}/contents`));
}

/** Adds contents as templates. If there are several, which are languages or variants, their names get numbers. */
function addContents(
  account: Account,
  { name, type }: Pick<OldTemplate, "name" | "type">,
  { contents }: z.infer<typeof Contents>,
): void {
  for (const [at, { subject, body, from }] of contents.entries()) {
    const own = contents.length === 1 ? name : `${name} ${at + 1}`;
    if (body) account.templates.push({ name: own, type, subject: subject || name, body, from: from ?? undefined });
  }
}
