import MiniSearch from "minisearch";

/** A part of a page, under one heading. */
interface Part {
  path: string;
  anchor: string;
  page: string;
  title: string;
  text: string;
}

const maxResults = 12;
let open: ((dialog: HTMLDialogElement) => void) | null = null;

/** Opens the search. The first time, it loads the texts of all pages. */
export async function openSearch(dialog: HTMLDialogElement, index: string): Promise<void> {
  if (!open) {
    const parts: Part[] = await (await fetch(index)).json();
    open = (opened) => opened.showModal();
    listen(dialog, parts);
  }
  open(dialog);
  dialog.querySelector("input")?.select();
}

function listen(dialog: HTMLDialogElement, parts: Part[]): void {
  const engine = new MiniSearch<Part & { id: number }>({
    fields: ["title", "page", "text"],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  engine.addAll(parts.map((part, id) => ({ ...part, id })));
  const input = dialog.querySelector("input");
  const count = dialog.querySelector(".count");
  const list = dialog.querySelector(".results");
  if (!input || !count || !list) return;

  input.addEventListener("input", () => {
    const words = input.value.trim();
    const hits = words ? engine.search(words) : [];
    const found = hits.slice(0, maxResults).flatMap(({ id, terms }) => {
      const part = parts[id];
      return part ? [resultOf(part, terms)] : [];
    });
    list.replaceChildren(...found);
    count.textContent = words ? countText(hits.length) : "";
  });
  // A result on the current page only changes the anchor.
  list.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => moveFocus(event, dialog));
}

function countText(found: number): string {
  if (found === 0) return "Nothing was found.";
  return found > maxResults
    ? `The best ${maxResults} of ${found} places`
    : `${found} ${found === 1 ? "place" : "places"}`;
}

function resultOf(part: Part, terms: string[]): HTMLLIElement {
  const link = document.createElement("a");
  link.href = part.anchor ? `${part.path}#${part.anchor}` : part.path;
  const title = document.createElement("strong");
  title.textContent = part.title === part.page ? part.page : `${part.page}: ${part.title}`;
  const excerpt = document.createElement("span");
  excerpt.append(...excerptOf(part.text, terms));
  link.append(title, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Returns the text around the first matching word, with that word marked. */
function excerptOf(text: string, terms: string[]): (string | HTMLElement)[] {
  const lower = text.toLowerCase();
  const places = terms.map((term) => ({ at: lower.indexOf(term), length: term.length })).filter(({ at }) => at >= 0);
  const [first] = places.sort((one, other) => one.at - other.at);
  if (!first) return [text.slice(0, 140)];
  const start = first.at < 50 ? 0 : text.lastIndexOf(" ", first.at - 40) + 1;
  const mark = document.createElement("mark");
  mark.textContent = text.slice(first.at, first.at + first.length);
  const after = text.slice(first.at + first.length, start + 150).replace(/\S*$/, "…");
  return [(start > 0 ? "… " : "") + text.slice(start, first.at), mark, after];
}

/** Moves through the results by the arrow keys. */
function moveFocus(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [...dialog.querySelectorAll<HTMLElement>("input, a")];
  const place = stops.indexOf(document.activeElement as HTMLElement);
  if (event.key === "Enter" && place === 0) stops[1]?.click();
  if (step === undefined) return;
  event.preventDefault();
  stops[(place + step + stops.length) % stops.length]?.focus();
}
