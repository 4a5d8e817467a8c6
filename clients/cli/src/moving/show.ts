import colours from "picocolors";
import { columns } from "../command";
import { counted, say, thousands, warn } from "../screen";
import type { Account, State } from "./account";
import type { Plan, PlannedTemplate } from "./plan";
import type { Recount } from "./recount";
import type { Outcome } from "./run";

const mostShown = 20;

/** Shows what an import would do, by state. */
export function showPlan(account: Account, { newTopics, templates, fields, renamed, slugs }: Plan): void {
  const people = [...account.people.values()];
  const count = (state: State) => thousands(people.filter((person) => person.state === state).length);
  const reasons = new Map<string, number>();
  for (const { reason } of account.suppressed.values()) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const known = account.topics.size - newTopics.length;
  const ready = templates.filter(({ converted }) => converted);
  const rows: [string, string][] = [
    [
      "suppressed",
      `${thousands(account.suppressed.size)}${listed([...reasons].map(([reason, all]) => `${reason} ${thousands(all)}`))}`,
    ],
    ["left", `${count("left")}  opted out, at the time when they did where it is known`],
    ["not subscribed", `${count("out")}  never subscribed or not confirmed: they count as opted out from today`],
    ["subscribed", `${count("subscribed")}  nobody is asked to confirm; contacts who left here stay away`],
    [
      "topics",
      `${account.topics.size}${listed([...newTopics.map(({ name }) => name), ...(known > 0 ? [`${known} of ${slugs.size} here`] : [])])}`,
    ],
    ["fields", `${fields.length}${listed(fields)}`],
    ["templates", `${ready.length} of ${templates.length}`],
  ];
  for (const [reason, left] of account.leftOut) rows.push(["left out", `${thousands(left)}  ${reason}`]);
  say(columns(rows));
  for (const [there, here] of renamed) warn(`${there} has a meaning of its own here: as data it is ${here}`);
  for (const template of templates) showTemplate(template);
  for (const note of account.notes) warn(note);
}

function listed(names: string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, mostShown).join(", ");
  return `  ${shown}${names.length > mostShown ? ` and ${names.length - mostShown} more` : ""}`;
}

function showTemplate({ template, faults, converted }: PlannedTemplate): void {
  if (converted) return;
  if (faults.length === 0) {
    warn(`The project has a template ${template.name}: it stays as it is`);
    return;
  }
  warn(`The template ${template.name} is not taken, because of tags that cannot be converted:`);
  for (const { part, line, tag, why } of faults)
    say(`    ${part === "subject" ? "subject" : `line ${line}`}  ${colours.red(tag)}  ${why}`);
}

/** Shows the service's counts next to those of the source. Returns whether they agree. */
export function showRecount(
  account: Account,
  found: Recount,
  { skipped, templates, refusedTemplates }: Outcome,
): boolean {
  const people = [...account.people.values()];
  const subscribed = people.filter(({ state }) => state === "subscribed").length;
  const stay = found.stayAway > 0 ? `, and ${thousands(found.stayAway)} who had left here and stay away` : "";
  say(
    columns([
      ["suppressed", `${thousands(account.suppressed.size)} there, ${thousands(found.suppressed)} here`],
      ["subscribed", `${thousands(subscribed)} there, ${thousands(found.subscribed)} here${stay}`],
      ["not subscribed", `${thousands(people.length - subscribed)} there, ${thousands(found.away)} here`],
      ["templates", counted(templates, "template")],
    ]),
  );
  for (const { email, reason } of skipped.slice(0, mostShown)) say(`  ${colours.red(reason)}  ${colours.dim(email)}`);
  for (const { name, reason } of refusedTemplates) warn(`The template ${name} was not taken: ${reason}`);
  nameThem("are missing here", found.missing);
  nameThem("are subscribed here, and not there", found.wrong);
  const isWhole = found.suppressed === account.suppressed.size;
  return isWhole && found.missing.length === 0 && found.wrong.length === 0 && refusedTemplates.length === 0;
}

function nameThem(what: string, emails: string[]): void {
  if (emails.length === 0) return;
  const more = emails.length > mostShown ? ", …" : "";
  warn(`${thousands(emails.length)} ${what}: ${emails.slice(0, mostShown).join(", ")}${more}`);
}
