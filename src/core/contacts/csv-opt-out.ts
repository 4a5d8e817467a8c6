/** A column that becomes data, and whose name says that it has the opt-outs of another service. */
export interface OptOutColumn {
  at: number;
  key: string;
}

/** Names of such columns, without case and punctuation. Any value but a no is an opt-out, or the time of one. */
const optOutNames = new Set([
  ...["unsubscribed", "unsubscribedat", "unsubscribetime", "unsubtime", "unsubscribes", "unsubscribe"],
  ...["optedout", "optedoutat", "optout", "optoutat", "optouttime", "optoutdate", "donotemail", "donotcontact"],
]);

/** A column of these says much else, too: only the words of an opt-out count. */
const statusNames = new Set(["status", "subscriptionstatus", "emailstatus", "emailmarketingstatus", "marketingstatus"]);

const nos = new Set(["", "false", "no", "0"]);

const optOutWords = new Set(["unsubscribed", "optedout", "cleaned", "bounced", "complained", "suppressed"]);

/** Each of them may become a warning. No export of a service has more; a file may have thousands. */
const maxOptOutColumns = 20;

export function findOptOuts(columns: OptOutColumn[]): OptOutColumn[] {
  return columns
    .filter(({ key }) => optOutNames.has(plain(key)) || statusNames.has(plain(key)))
    .slice(0, maxOptOutColumns);
}

/** Whether this cell of such a column means that the person has left. */
export function isOptOut({ key }: OptOutColumn, cell: string): boolean {
  const text = cell.trim().toLowerCase();
  return statusNames.has(plain(key)) ? optOutWords.has(plain(text)) : !nos.has(text);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}
