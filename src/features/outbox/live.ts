/**
 * The script of the list: every two seconds it checks whether the list has changed, and then replaces it. It does not
 * touch a list that has the keyboard focus or an open section. Without the script, the page works by reloading.
 */
export const liveScript = `"use strict";
async function refresh() {
  const shown = document.getElementById("mails");
  if (document.hidden || shown.contains(document.activeElement) || shown.querySelector("details[open]")) return;
  const now = await fetch("/outbox/version" + location.search);
  if (!now.ok || (await now.json()).version === shown.dataset.version) return;
  const page = await fetch(location.href);
  if (!page.ok) return;
  const fresh = new DOMParser().parseFromString(await page.text(), "text/html").getElementById("mails");
  if (fresh) shown.replaceWith(document.adoptNode(fresh));
}
setInterval(() => refresh().catch(() => {}), 2000);
`;
