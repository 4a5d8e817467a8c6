import { Refusal } from "../../command";
import { type SuppressionReason, suppressionReasons } from "../account";
import { plunkLiquid } from "../languages/liquid";
import type { Source } from "../source";
import { Cells, yesOrNo } from "../table";
import { timeOf } from "../time";

/** A file with the columns of an import here, and one more for suppressed addresses. */
export const csv: Source = {
  name: "a CSV file",
  export: "email, subscribed, createdAt, confirmedAt, optedOutAt, topics (names with | between), suppressed, and data",
  readRow(account, row, file) {
    const cells = new Cells(row);
    const email = cells.take("email") ?? "";
    const [said, optedOutAt] = [yesOrNo(cells.take("subscribed")), timeOf(cells.take("optedOutAt"))];
    const [createdAt, confirmedAt] = [timeOf(cells.take("createdAt")), timeOf(cells.take("confirmedAt"))];
    const topics = cells
      .take("topics")
      ?.split("|")
      .flatMap((name) => name.trim() || []);
    for (const name of topics ?? []) account.addTopic({ name, defaultSubscribed: false });
    const suppressed = cells.take("suppressed");
    if (suppressed !== undefined) account.suppress(email, reasonOf(suppressed, file), optedOutAt);
    const state = optedOutAt ? "left" : said === false || suppressed !== undefined ? "out" : "subscribed";
    account.addPerson({
      email,
      state,
      createdAt,
      confirmedAt,
      optedOutAt,
      ...(topics && { topics }),
      data: cells.rest(),
    });
  },
  language: plunkLiquid,
};

/** Returns the reason for a suppression. Throws Refusal for an unknown one. */
export function reasonOf(written: string, file: string): SuppressionReason {
  const reason = suppressionReasons.find((one) => one === written.toLowerCase());
  if (reason === undefined)
    throw new Refusal(`${file}: suppressed is ${written}. There are: ${suppressionReasons.join(", ")}`);
  return reason;
}
