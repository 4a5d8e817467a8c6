import { snippetPath } from "../snippet";
import { snippet } from "../snippet-script";

/** Returns the guide's sections about events from web pages, and about using Plunk's client library with Petrel. */
export function webPages(origin: string): string {
  return `## Events from web pages

\`POST /v1/track\` may be called from any page with a public key. **A contact that it creates is subscribed**, and gets your
campaigns, unless the call says \`subscribed: false\`, which is an opt-out, or the operator has set \`publicTrackSubscribes: false\`
on the project: the contact is then not subscribed until a call, a confirmation or you subscribe it.

Anyone who reads your page can use its key to find out which addresses you know. Ask the operator to set
\`publicAnswers: "NONE"\` for the project: then answers to a public key have no ids, and are the same for every address. We
recommend it unless your page needs the ids.

The snippet of this installation does this for you: events wait in the browser until they have arrived, and none counts twice.

\`\`\`js
window.petrel = window.petrel || function () { (petrel.q = petrel.q || []).push(arguments) };
const snippet = document.createElement("script");
Object.assign(snippet, { src: "${origin}${snippetPath}", crossOrigin: "anonymous" });
snippet.integrity = "${snippet.integrity}";
snippet.dataset.key = "pk_…";
document.head.append(snippet);

petrel("identify", "ada@example.com", { plan: "pro" });
petrel("track", "purchase", { amount: { value: 49, persistent: false } });
petrel("subscribe", { email: "ada@example.com", confirm: true }, (text) => console.log(text));
\`\`\`

Without the snippet, send \`keepalive\` with a call that should survive the end of the page:

\`\`\`js
fetch("${origin}/v1/track", {
  method: "POST",
  keepalive: true,
  headers: { Authorization: "Bearer pk_…" },
  // Creates ada@example.com subscribed, unless the project has publicTrackSubscribes: false.
  body: JSON.stringify({ email: "ada@example.com", event: "purchase" }),
});
\`\`\`

When a visitor leaves the page, send a beacon: it arrives even after the page is gone. It cannot have headers, so the key is \`key\` in the body. Send
a string, or a \`Blob\` of \`text/plain\`; the body is read as JSON, whatever its \`Content-Type\`.

\`\`\`js
addEventListener("pagehide", () => {
  const event = { key: "pk_…", email: "ada@example.com", event: "left", data: { seconds: performance.now() / 1000 } };
  navigator.sendBeacon("${origin}/v1/track", JSON.stringify(event));
});
\`\`\`

If there is an \`Authorization\` header, \`key\` is ignored. A secret key is a 401 in either place.

Only \`/v1/…\` answers with CORS headers. Browsers do not show pages the answers of other endpoints, whatever
the key: call those from your server.

\`data\` is stored with the contact. For a value that belongs to the event alone, write
\`"amount": { "value": 49, "persistent": false }\`.

## Coming from Plunk

\`@plunk/node\` works with this installation as its base URL: \`${origin}\`, or with \`/v1/\` or \`/api/v1/\` behind it. Its
\`emails.send\` takes a secret key and its \`events.track\` a public one, so create one client for each. These things differ:

- \`type: "markdown"\` is not accepted: send HTML.
- \`from\` is required without a template, and its domain must be a verified domain of the project.
- The plain-text part is made from the HTML.
- A new recipient becomes a contact that is not subscribed, unless the call says \`subscribed: true\`.`;
}
