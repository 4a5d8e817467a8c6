import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ImportJob } from "petrel-client";
import colours from "picocolors";
import { type Command, type Given, UsageError } from "../command";
import { counted, progress, say, thousands, warn } from "../screen";
import { openPetrel } from "../settings";

const shownErrors = 20;

export const importCommand: Command = {
  summary: "Import contacts from a CSV file",
  usage: "<file.csv> [--subscribed column] [--columns all]",
  about: "The first row names the columns; email is one of them, and the others become the contact's data.",
  options: {
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
  examples: ["petrel import contacts.csv --subscribed column"],
  async run(given) {
    const [file, ...more] = given.words;
    if (file === undefined || more.length > 0) throw new UsageError("Name one CSV file: petrel import contacts.csv");
    return importFile(file, given);
  },
};

async function importFile(file: string, given: Given): Promise<number> {
  const csv = readFileSync(file, "utf8");
  const [subscribed, columns] = [wordOf(given, "subscribed", "column"), wordOf(given, "columns", "all")];
  const petrel = openPetrel();
  const started = await petrel.contacts.import({
    file: csv,
    ...(subscribed && { subscribed }),
    ...(columns && { columns }),
  });
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
