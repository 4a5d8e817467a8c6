/** Has the browser save something as a file of JSON. */
export function saveAsFile(name: string, content: unknown): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  // The browser begins to save after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
