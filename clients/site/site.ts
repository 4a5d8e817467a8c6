// The script of every page of the documents. Each page works without it: it adds the search, and buttons that copy code.

/** The exports of search.ts, which is loaded with the first search. */
interface Search {
  openSearch(dialog: HTMLDialogElement, index: string): Promise<void>;
}

const own = document.querySelector<HTMLScriptElement>("script[data-search]");
const button = document.querySelector<HTMLButtonElement>(".find");
const dialog = document.querySelector<HTMLDialogElement>("dialog.search");

async function search(): Promise<void> {
  const { search: path, index } = own?.dataset ?? {};
  if (!path || !index || !dialog || dialog.open) return;
  const { openSearch } = (await import(path)) as Search;
  await openSearch(dialog, index);
}

if (button) {
  button.hidden = false;
  button.addEventListener("click", search);
}

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  const isSearch = event.key === "/" ? !isTyping : event.key === "k" && (event.metaKey || event.ctrlKey);
  if (!isSearch) return;
  event.preventDefault();
  search();
});

for (const code of document.querySelectorAll(".code")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.querySelector("code")?.textContent ?? "");
    copy.textContent = "Copied";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2000);
  });
  code.append(copy);
}
