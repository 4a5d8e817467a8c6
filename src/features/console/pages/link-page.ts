import { html } from "hono/html";
import type { OpenedLink } from "../../../engine/people/use-link";
import { framed, type Html } from "../../../http/page";

function page(title: string, main: Html): Html {
  return framed({ title: `${title} · Petrel`, style: "/preferences.css", main, isPersonal: true });
}

/**
 * Shows the page that a sign-in link opens. Only its button signs in, so a mail scanner that opens the link does not
 * use it up.
 */
export function linkPage(link: OpenedLink): Html {
  switch (link.is) {
    case "good":
      return signInPage(link.row.email);
    case "of another browser":
      return page(
        "Another browser",
        html`<h1>Another browser asked for this link</h1>
<p>The link works only in that browser. You can also type the code from the mail there.</p>
<p class="quiet">If you did not ask for it, close this page: nothing has happened.</p>`,
      );
    case "used up":
      return page(
        "Link expired",
        html`<h1>This link was used before, or has expired</h1>
<p>Ask for another email on the sign-in page.</p>`,
      );
  }
}

function signInPage(email: string | null): Html {
  const whoIsIt =
    email === null
      ? html`<p><label for="email">Your email address</label>
<input id="email" name="email" type="email" required autocomplete="email"></p>
<p class="quiet">You become an owner of this installation.</p>`
      : html`<p>As <bdi class="address">${email}</bdi>.</p>`;
  return page(
    "Sign in",
    html`<h1>Sign in to Petrel</h1>
<form method="post">${whoIsIt}<button class="main">Sign in</button></form>`,
  );
}
