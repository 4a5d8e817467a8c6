import { addressOf } from "./links.mjs";
import { escapeHtml } from "./render.mjs";

/** Frames a page: the site's head and navigation, the content, the page's outline, and the next page. */
export function framePage({ page, html, headings, sections, files }) {
  const navigation = navigationOf(sections, page);
  return document({
    title: page.name === "index" ? "Petrel's documents" : `${page.title} · Petrel`,
    files,
    body: `<div class="columns">
<nav class="pages" aria-label="Documents">${navigation}</nav>
<main id="content">
<details class="menu"><summary>All pages</summary><nav aria-label="All pages">${navigation}</nav></details>
<article>${html}</article>
${footerOf(page, sections)}
</main>
${contentsOf(headings)}
</div>`,
  });
}

/** Returns the page for an unknown address. */
export function missingDocument(files) {
  return document({
    title: "Not found · Petrel",
    files,
    body: `<main class="alone" id="content"><h1>There is no such page</h1>
<p>The address is incomplete, or the page has another name now.</p>
<p><a href="/docs">All documents</a></p></main>`,
  });
}

function document({ title, files, body }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${files.style}">
<script type="module" src="${files.script}" data-search="${files.search}" data-index="${files.index}"></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<a class="brand" href="/docs"><img src="/favicon.svg" alt="" width="28" height="28">Petrel</a>
<nav aria-label="Site"><a href="/docs/reference">Reference</a></nav>
<button class="find" type="button" hidden>Search <kbd>/</kbd></button>
</header>
${body}
<dialog class="search" aria-label="Search">
<label for="query">Search the documents</label>
<input id="query" type="search" autocomplete="off" spellcheck="false">
<p class="count" role="status"></p>
<ol class="results"></ol>
</dialog>
</body>
</html>
`;
}

function navigationOf(sections, current) {
  return sections
    .map(({ title: section, entries }) => {
      const items = entries.map(({ page, title }) => {
        const mark = page === current ? ' aria-current="page"' : "";
        return `<li><a href="${addressOf({ name: page.name })}"${mark}>${escapeHtml(title)}</a></li>`;
      });
      return `<p>${escapeHtml(section)}</p><ul>${items.join("")}</ul>`;
    })
    .join("");
}

function contentsOf(headings) {
  const entries = headings.filter(({ level }) => level === 2);
  if (entries.length < 2) return "";
  const items = entries.map(({ title, anchor }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

function footerOf(page, sections) {
  const order = sections.flatMap(({ entries }) => entries);
  const place = order.findIndex((entry) => entry.page === page);
  const [before, next] = [order[place - 1], place === -1 ? order[0] : order[place + 1]];
  const link = (target, word) =>
    target
      ? `<a href="${addressOf({ name: target.page.name })}"><span>${word}</span>${escapeHtml(target.title)}</a>`
      : "<i></i>";
  return `<footer><nav aria-label="Pages beside this one">${link(before, "Before")}${link(next, "Next")}</nav>
<p><a href="${addressOf({ name: page.name }, ".md")}">This page as Markdown</a> · <a href="/llms.txt">llms.txt</a></p></footer>`;
}
