/** Makes the browser save the content as a JSON file. */
export function saveAsFile(name: string, content: unknown): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  // The browser reads the URL after this function has returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
