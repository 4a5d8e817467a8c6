import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ImportJob } from "petrel-client";
import colours from "picocolors";
import { type Command, type Given, UsageError } from "../command";
import { type Move, move } from "../moving/move";
import { sources } from "../moving/read";
import { counted, progress, say, thousands, warn } from "../screen";
import { openPetrel, readSettings } from "../settings";
import { uploadParts } from "./upload-parts";

const shownErrors = 20;

export const importCommand: Command = {
  summary: "Import contacts from a CSV file, or an account of another service",
  usage: "[files] [--from service] [--dry-run]",
  about:
    "One CSV file: the first row names the columns; email is one of them, and the others become the contact's data.\n" +
    "With --from, everything that moves: opt-outs first, then topics, contacts and templates, from the service's API or\n" +
    "from files that it exports.",
  options: {
    from: { type: "string", value: "service", about: Object.keys(sources).join(", ") },
    "dry-run": { type: "boolean", about: "With --from: count by state, and change nothing" },
    url: { type: "string", value: "address", about: "With --from: where the service runs" },
    audience: { type: "string", value: "name", about: "With --from mailchimp: which of several" },
    suppressed: { type: "string", value: "file", about: "With --from: a CSV file of addresses that get nothing" },
    sender: { type: "string", value: "address", about: "With --from: the sender of templates" },
    subscribed: {
      type: "string",
      value: "column",
      about: "column: the file's column subscribed says who is subscribed",
    },
    columns: {
      type: "string",
      value: "all",
      about: "all: also take createdAt, confirmedAt, optedOutAt, source and topics",
    },
  },
  examples: [
    "petrel import contacts.csv --subscribed column",
    "petrel import --from mailchimp export/*.csv --dry-run",
    "RESEND_API_KEY=re_… petrel import --from resend --sender hello@acme.com",
  ],
  async run(given) {
    const from = given.text("from");
    if (from !== undefined) return move(openPetrel, moveOf(given, from));
    insistOnFrom(given);
    const [file, ...more] = given.words;
    if (file === undefined || more.length > 0) throw new UsageError("Name one CSV file: petrel import contacts.csv");
    return importFile(file, given);
  },
};

function moveOf(given: Given, from: string): Move {
  const [url, audience, suppressed] = ["url", "audience", "suppressed"].map((name) => given.text(name));
  return {
    ...{ from, url, audience, suppressed, files: given.words, environment: readSettings() },
    ...{ isDryRun: given.has("dry-run"), sender: given.text("sender") },
  };
}

function insistOnFrom(given: Given): void {
  for (const name of ["dry-run", "url", "audience", "suppressed", "sender"])
    if (given.has(name) || given.text(name) !== undefined) throw new UsageError(`--${name} goes with --from`);
}

/** The most bytes of a file that one call takes. A larger file goes in parts. */
const maxBytesAtOnce = 5 * 1024 * 1024;

async function importFile(file: string, given: Given): Promise<number> {
  const csv = readFileSync(file);
  const [subscribed, columns] = [wordOf(given, "subscribed", "column"), wordOf(given, "columns", "all")];
  const options = { ...(subscribed && { subscribed }), ...(columns && { columns }) };
  const petrel = openPetrel();
  const started =
    csv.byteLength > maxBytesAtOnce
      ? await uploadParts(petrel, csv, { name: basename(file), ...options })
      : await petrel.contacts.import({ file: new Blob([csv]), ...options });
  const shown = progress(basename(file));
  await petrel.until(started, { onProgress: (job) => shown.at(job.progress / 100) }).finally(() => shown.end());
  const job = await petrel.contacts.getImport(started.jobId);
  showImport(job);
  return 0;
}

function wordOf<Word extends string>(given: Given, name: string, word: Word): Word | undefined {
  const said = given.text(name);
  if (said !== undefined && said !== word) throw new UsageError(`--${name} takes the word ${word}`);
  return said === undefined ? undefined : word;
}

function showImport({ totalRows, imported, updated, skipped, droppedColumns, errors, warnings }: ImportJob): void {
  say(
    `${colours.green("✓")} ${counted(totalRows, "row")}: ${thousands(imported)} new, ${thousands(updated)} updated, ${thousands(skipped)} skipped`,
  );
  for (const { row, email, reason } of errors.slice(0, shownErrors))
    say(`  ${colours.red(`row ${row}`)}  ${reason}  ${colours.dim(email)}`);
  if (errors.length > shownErrors) say(colours.dim(`  … and ${thousands(skipped - shownErrors)} more`));
  if (droppedColumns.length > 0) warn(`Not imported, as their names are reserved: ${droppedColumns.join(", ")}`);
  for (const { message } of warnings ?? []) warn(message);
}
