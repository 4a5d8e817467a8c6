/**
 * Runs in a page: waits for its content, and presses each button of it once, those of dialogs that open included. Fills
 * fields that are required, and selects the rows of a table.
 */
export const pressAll = `(async () => {
  const closing = ["Cancel", "Close", "Clear"];
  let isLast = false;
  const pressed = new Set();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const isSeen = (element) => element.checkVisibility() && element.closest("[inert]") === null;
  const nameOf = (element, scope) => (scope.getAttribute("aria-label") ?? "") + " " + (element.getAttribute("aria-label") ?? element.textContent);

  function choose(field) {
    const chosen = new DataTransfer();
    chosen.items.add(new File(["email\\ngrace@example.com\\n"], "people.csv", { type: "text/csv" }));
    field.files = chosen.files;
  }

  function fill(field) {
    if (field.type === "file") return choose(field);
    const text = field.type === "email" ? "grace@example.com" : "some.example";
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const hasEditor = () => [...document.querySelectorAll("#main *")].some(({ shadowRoot }) => shadowRoot?.querySelector(".cm-content"));
  const isThere = () =>
    document.querySelector("#main h1") &&
    !document.querySelector(".waiting") &&
    (!location.pathname.endsWith("/edit") || hasEditor());
  for (let round = 0; !isThere() && round < 400; round += 1) await pause(50);
  if (!isThere()) throw new Error("It was not loaded: " + location.pathname);
  for (const box of document.querySelectorAll("#main thead input[type=checkbox]")) box.click();
  for (let round = 0; round < 100; round += 1) {
    for (const field of document.querySelectorAll("input[required], textarea[required]")) {
      if (field.value === "" && isSeen(field)) fill(field);
    }
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    const scope = dialog ?? document.getElementById("main");
    if (scope === null) return;
    const next = [...scope.querySelectorAll("button:not(:disabled)")]
      .toReversed()
      .find((button) => isSeen(button) && !closing.includes(button.textContent) && !pressed.has(nameOf(button, scope)));
    if (next) {
      pressed.add(nameOf(next, scope));
      next.click();
    } else if (dialog) dialog.close();
    else if (isLast) return;
    isLast = !next && !dialog;
    await pause(isLast ? 200 : 30);
  }
})()`;
