import type { Audience } from "../../core/audience/compile";
import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import { openBatch } from "../../db/batch";
import type { ContactRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { letOthersIn } from "../../platform/let-others-in";
import { pageOf, selectPage } from "./scan-page";
import { ends, type ScanWindow } from "./scan-window";

/** The maximum number of windows in one batch. Other requests to the database wait about 100 ms while a batch runs. */
const windowsPerBatch = 4;

interface ScannedWindows {
  matched: number;
  /** The first matches in the order of the windows. */
  contacts: ContactRow[];
  /** Whether the last window reaches the end of its source. */
  isAtEnd: boolean;
}

/** Evaluates a condition for the contacts of windows that are known in advance, from the newest to the oldest. */
export async function scanWindows(
  ctx: Context,
  audience: Audience,
  windows: ScanWindow[],
  { take }: { take: number },
): Promise<ScannedWindows> {
  const contacts: ContactRow[] = [];
  let [matched, edge]: [number, Id] = [0, ends.down.start];
  for (const chunk of chunksOf(windows, windowsPerBatch)) {
    const batch = openBatch(ctx);
    const page = { skip: 0, take: take - contacts.length, direction: "down" as const };
    const scanned = chunk.map((window) => batch.add(selectPage(audience, window, page)));
    await batch.commit();
    for (const { all } of scanned) {
      const scannedPage = pageOf(all, "down");
      contacts.push(...scannedPage.contacts.slice(0, take - contacts.length));
      matched += scannedPage.matched;
      edge = scannedPage.edge;
    }
    await letOthersIn();
  }
  return { matched, contacts, isAtEnd: edge === ends.down.end };
}
