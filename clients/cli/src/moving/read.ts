import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { Refusal, UsageError } from "../command";
import { Account } from "./account";
import { Api } from "./api";
import type { Source, SourceSettings } from "./source";
import { csv, reasonOf } from "./sources/csv";
import { customerio } from "./sources/customerio";
import { listmonk } from "./sources/listmonk";
import { loops } from "./sources/loops";
import { mailchimp } from "./sources/mailchimp";
import { plunk } from "./sources/plunk";
import { resend } from "./sources/resend";
import { sendgrid } from "./sources/sendgrid";
import { Cells, readTable } from "./table";

/** Every supported service. Some sources cache what they have read, so each import opens its own. */
export const sources: Record<string, () => Source> = {
  plunk: () => plunk,
  mailchimp,
  resend: () => resend,
  sendgrid: () => sendgrid,
  loops: () => loops,
  customerio,
  listmonk: () => listmonk,
  csv: () => csv,
};

export interface Reading extends Partial<Omit<SourceSettings, "key">> {
  /** CSV files of people, and HTML files of templates. */
  files: string[];
  /** A CSV file of addresses that get no mail. */
  suppressed?: string | undefined;
  environment: Record<string, string | undefined>;
  fetch?: typeof fetch;
}

/** Reads a whole account from files, or otherwise from the service's API. Throws Refusal or UsageError. */
export async function readAccount(source: Source, reading: Reading): Promise<Account> {
  const { files, suppressed } = reading;
  const account = new Account();
  const tables = files.filter((file) => extname(file).toLowerCase() !== ".html");
  if (suppressed !== undefined) readSuppressed(account, suppressed);
  if (tables.length === 0 || source.api?.isPartial) await readApi(account, source, reading, tables.length > 0);
  for (const file of tables) for (const row of readTable(file)) source.readRow(account, row, file);
  for (const file of files) if (!tables.includes(file)) readTemplate(account, file);
  return account;
}

async function readApi(account: Account, { name, api, ...rest }: Source, reading: Reading, hasTables: boolean) {
  if (!api) throw new UsageError(`Name the file to import: ${rest.export}`);
  const { keyName, connect, read, isPartial } = api;
  const key = reading.environment[keyName];
  if (isPartial && !hasTables) throw new UsageError(`Name the file to import, as the API has no list: ${rest.export}`);
  if (isPartial && !key) return;
  if (!key) throw new UsageError(`Set ${keyName}, or name the file to import: ${rest.export}`);
  const settings = { key, url: reading.url?.replace(/\/+$/, ""), audience: reading.audience };
  const opened = { ...connect(settings), name, keyName, ...(reading.fetch && { fetch: reading.fetch }) };
  await read(account, new Api(opened), settings);
}

function readSuppressed(account: Account, file: string): void {
  for (const row of readTable(file)) {
    const cells = new Cells(row);
    const reason = reasonOf(cells.take("reason") ?? "manual", file);
    account.suppress(cells.take("email") ?? "", reason, cells.take("createdAt", "created"));
  }
}

/** Reads a template: its name is that of the file, and its subject the page's title. Throws Refusal. */
function readTemplate(account: Account, file: string): void {
  const body = readFileSync(file, "utf8");
  const subject = /<title[^>]*>([\s\S]*?)<\/title>/i.exec(body)?.[1]?.trim();
  if (!subject) throw new Refusal(`${file}: has no <title>, which is the template's subject`);
  account.templates.push({ name: basename(file, extname(file)), subject, body });
}
