import { gzipSync } from "node:zlib";
import { readPages, sectionsOf } from "../scripts/lib/site/outline.mjs";
import { renderSite } from "../scripts/lib/site/site.mjs";
import { median } from "./load.mjs";
import { table } from "./report.mjs";

/** Measures the transferred size of a page of the documents, with the style and the script that each loads. */
export async function benchPages() {
  const pages = readPages();
  const site = await renderSite(pages, sectionsOf(pages));
  const kilobytes = (name) => gzipSync(site.get(name)).length / 1024;
  const file = (start) => [...site.keys()].find((name) => name.startsWith(start));
  const shared = kilobytes(file("style.")) + kilobytes(file("site."));
  const weights = pages.map(({ name }) => kilobytes(`${name}.html`) + shared).toSorted((one, other) => one - other);
  const search = kilobytes(file("search.")) + kilobytes(file("index."));
  const cell = (value) => ({ value, unit: "KB" });
  table({
    title: `${pages.length} pages of documents, compressed`,
    names: ["each"],
    figures: [
      {
        "the heaviest": cell(weights.at(-1)),
        "the heaviest, once it was searched": cell(weights.at(-1) + search),
        "the usual": cell(median(weights)),
      },
    ],
    aims: { "the heaviest": "≤ 100" },
  });
}
