import { snippetPath } from "../snippet";
import { snippet } from "../snippet-script";

/** Returns the guide's sections about events from web pages, and about using Plunk's client library with Petrel. */
export function webPages(origin: string): string {
  return `## Events from web pages

\`POST /v1/track\` may be called from any page with a public key. **A contact that it creates is subscribed**, and gets your
campaigns, unless the call says \`subscribed: false\`, which is an opt-out, or the operator has set \`publicTrackSubscribes: false\`
on the project: then it is not subscribed, until a call, a confirmation or you say so.

Whoever reads your page can ask with its key which addresses you know. Have the operator set \`publicAnswers: "NONE"\` for the project:
then answers to a public key have no ids, and are the same for everybody's address. We recommend it unless your page needs the ids.

The snippet of this installation does the rest: events wait in the browser until they have arrived, and none counts twice.

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

By hand, a call that should survive the end of the page sends \`keepalive\`:

\`\`\`js
fetch("${origin}/v1/track", {
  method: "POST",
  keepalive: true,
  headers: { Authorization: "Bearer pk_…" },
  // Creates ada@example.com subscribed, unless the project has publicTrackSubscribes: false.
  body: JSON.stringify({ email: "ada@example.com", event: "purchase" }),
});
\`\`\`

When a page is left, send a beacon: it arrives though the page is gone. It cannot have headers, so the key is \`key\` in the body. Send
a string, or a \`Blob\` of \`text/plain\`; the body is read as JSON whatever its \`Content-Type\` says.

\`\`\`js
addEventListener("pagehide", () => {
  const event = { key: "pk_…", email: "ada@example.com", event: "left", data: { seconds: performance.now() / 1000 } };
  navigator.sendBeacon("${origin}/v1/track", JSON.stringify(event));
});
\`\`\`

An \`Authorization\` header counts before \`key\`. A secret key is refused in either place with 401.

Only \`/v1/…\` answers with CORS headers. A browser refuses to show a page the answer of any other endpoint, whatever the key:
call those from your server.

What \`data\` says is stored with the contact. Write \`"amount": { "value": 49, "persistent": false }\` for what belongs to the event
alone.

## Coming from Plunk

\`@plunk/node\` works with this installation as its base URL: \`${origin}\`, or with \`/v1/\` or \`/api/v1/\` behind it. Its
\`emails.send\` takes a secret key and its \`events.track\` a public one, so make one client for each. These things differ:

- \`type: "markdown"\` is not accepted: send HTML.
- \`from\` is required without a template, and its domain must be a verified domain of the project.
- The plain-text part is made from the HTML.
- A recipient that is new becomes a contact that is not subscribed, unless the call says \`subscribed: true\`.`;
}
