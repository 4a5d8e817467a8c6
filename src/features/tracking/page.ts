import { html } from "hono/html";
import { framed } from "../../http/page";

/** The page for a link that we did not sign. */
export const badLink = framed({
  title: "This link does not work",
  style: "/style.css",
  main: html`<h1>This link does not work</h1>
<p>It may be incomplete. Open it again from the email itself, and make sure that no part of it is missing.</p>`,
  isPersonal: true,
});
