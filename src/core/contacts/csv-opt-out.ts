/** A column that becomes data although its name suggests opt-outs of another service. */
export interface OptOutColumn {
  at: number;
  key: string;
}

/**
 * Names of columns in which every value except a "no" means an opt-out. The value may be the time of the opt-out. Names
 * are compared without case and punctuation.
 */
const optOutNames = new Set([
  ...["unsubscribed", "unsubscribedat", "unsubscribetime", "unsubtime", "unsubscribes", "unsubscribe"],
  ...["optedout", "optedoutat", "optout", "optoutat", "optouttime", "optoutdate", "donotemail", "donotcontact"],
]);

/** Columns with these names contain other values as well, so only the words in `optOutWords` mean an opt-out. */
const statusNames = new Set(["status", "subscriptionstatus", "emailstatus", "emailmarketingstatus", "marketingstatus"]);

const nos = new Set(["", "false", "no", "0"]);

const optOutWords = new Set(["unsubscribed", "optedout", "cleaned", "bounced", "complained", "suppressed"]);

/**
 * The maximum number of opt-out columns of a file that are noticed. No other service exports more, but a file can have
 * thousands of columns, and each opt-out column can cause a warning.
 */
const maxOptOutColumns = 20;

export function findOptOuts(columns: OptOutColumn[]): OptOutColumn[] {
  return columns
    .filter(({ key }) => optOutNames.has(plain(key)) || statusNames.has(plain(key)))
    .slice(0, maxOptOutColumns);
}

/** Whether a cell in an opt-out column means that the person has opted out. */
export function isOptOut({ key }: OptOutColumn, cell: string): boolean {
  const text = cell.trim().toLowerCase();
  return statusNames.has(plain(key)) ? optOutWords.has(plain(text)) : !nos.has(text);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}
