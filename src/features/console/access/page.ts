import { html } from "hono/html";
import type { NotAuthenticated } from "../../../core/errors";
import { framed, type Html } from "../../../http/page";

function page(main: Html): Html {
  return framed({ title: "Sign in · Petrel", style: "/preferences.css", main, isPersonal: true });
}

/** Shows a link to the requested page, on which the person can sign in by mail or with a passkey. */
function otherWay(page: string): Html {
  const by = page.includes("?") ? "&by=mail" : "?by=mail";
  return html`<p class="quiet"><a href="${page}${by}">Sign in another way</a></p>`;
}

/** Asks a person authenticated by Access whether to sign in. */
export function accessPage(email: string, wanted: string): Html {
  return page(html`<h1>Sign in to Petrel</h1>
<form method="post"><p>Cloudflare Access identified you as <bdi class="address">${email}</bdi>.</p>
<button class="main">Sign in</button></form>
${otherWay(wanted)}`);
}

/** Tells a person whom Access has authenticated why they cannot sign in that way. */
export function refusalPage({ message, suggestion }: NotAuthenticated, wanted: string): Html {
  return page(html`<h1>You are not signed in</h1>
<p><bdi>${message}</bdi></p>
<p>${suggestion ?? ""}</p>
${otherWay(wanted)}`);
}
