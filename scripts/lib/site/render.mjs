import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import markdownIt from "markdown-it";
import { addressOf, targetOf } from "./links.mjs";

const languages = {
  sh: bash,
  js: javascript,
  ts: typescript,
  toml: ini,
  html: xml,
  liquid: xml,
  md: yaml,
  yaml,
  go,
  json,
  php,
  python,
};
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

/**
 * Renders a page. Returns its HTML, its headings with their anchors, and the text under each heading for the search.
 */
export function renderPage(page, names) {
  const headings = [];
  const markdown = markdownIt({ html: false, highlight });
  markdown.core.ruler.push("headings", (state) => collectHeadings(state.tokens, headings));
  markdown.core.ruler.push("tables", (state) => dropEmptyHeads(state.tokens));
  markdown.core.ruler.push("links", (state) => pointLinks(state.tokens, page, names));
  Object.assign(markdown.renderer.rules, frames);
  return { html: markdown.render(page.source), headings };
}

function highlight(code, language) {
  return highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : "";
}

/** Gives each heading the same anchor as in the repository's display, and a link to itself. */
function collectHeadings(tokens, headings) {
  const taken = new Map();
  for (const [place, token] of tokens.entries()) {
    if (token.type === "inline" && headings.length > 0) headings.at(-1).text += ` ${textOf(token)}`;
    if (token.type === "fence") headings.at(-1).text += ` ${token.content}`;
    if (token.type !== "heading_open") continue;
    const title = textOf(tokens[place + 1]);
    const slug = slugOf(title);
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    const anchor = times === 0 ? slug : `${slug}-${times}`;
    token.attrSet("id", anchor);
    headings.push({ level: Number(token.tag.slice(1)), title, anchor, text: "" });
  }
}

function textOf({ children }) {
  return children.map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

function slugOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

/** Points links to pages of the site. A link to a file that is not a page becomes its text. */
function pointLinks(tokens, page, names) {
  for (const { children } of tokens) {
    let isDropped = false;
    for (const token of children ?? []) {
      if (token.type === "link_open") {
        const target = targetOf(page, token.attrGet("href"), names);
        isDropped = target === null;
        if (target) token.attrSet("href", addressOf(target));
      }
      if (isDropped && token.type.startsWith("link_")) {
        if (token.type === "link_close") isDropped = false;
        token.type = "text";
        token.content = "";
      }
    }
  }
}

/** Removes table heads without words, which screen readers would announce for each cell. */
function dropEmptyHeads(tokens) {
  for (const [place, token] of tokens.entries()) {
    if (token.type !== "th_open" || tokens[place + 1].content !== "") continue;
    token.tag = "td";
    tokens[place + 2].tag = "td";
  }
}

/** Makes everything wider than the page scrollable by keyboard: each table, and each block of code. */
const frames = {
  table_open: () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n',
  table_close: () => "</table></div>\n",
  fence: (tokens, place, { highlight: paint }) => {
    const { content, info } = tokens[place];
    const [language = ""] = info.split(" ");
    const code = paint(content, language) || escapeHtml(content);
    return `<div class="code"><pre tabindex="0"><code class="language-${escapeHtml(language)}">${code}</code></pre></div>\n`;
  },
};

export function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
