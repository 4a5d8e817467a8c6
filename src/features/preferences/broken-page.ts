import { html } from "hono/html";
import { filledIn, type Language } from "../../core/languages/language";
import type { Html } from "../../http/page";
import { page } from "./page";

/** Returns the page for a link that we did not sign. */
export function badLink(language: Language): Html {
  return plain(language, language.words.badLink);
}

/** Returns the page that people see while the database does not answer. */
export function away(language: Language): Html {
  return plain(language, language.words.away);
}

function plain(language: Language, { title, text, help }: Language["words"]["badLink"]): Html {
  return page(
    { language },
    title,
    html`<h1>${title}</h1>
<p>${text}</p>
<p>${help}</p>`,
  );
}

/** Returns the page for a link whose contact has been deleted. */
export function gone({ sender, language }: { sender: string; language: Language }): Html {
  const { title, text, help } = language.words.gone;
  return page(
    { language },
    title,
    html`<p class="sender" dir="auto">${sender}</p>
<h1>${title}</h1>
<p>${filledIn(text, { sender })}</p>
<p>${help}</p>`,
  );
}
