import { html } from "hono/html";
import type { Html } from "../../http/page";
import { manageLink, page, type Reader, say, senderLine, titled } from "./page";

export function askToSubscribe(reader: Reader): Html {
  const { subscribe, common } = reader.language.words;
  return page(
    reader,
    titled(reader, subscribe.title),
    html`${senderLine(reader)}
<h1>${subscribe.question}</h1>
<p>${say(reader, subscribe.effect)}</p>
<form method="post"><button class="main">${subscribe.button}</button></form>
<p class="quiet">${common.nothing}</p>`,
  );
}

export function subscribed(reader: Reader, managePath: string): Html {
  const { subscribe, common } = reader.language.words;
  return page(
    reader,
    subscribe.done,
    html`${senderLine(reader)}
<h1>${subscribe.done}</h1>
<p>${say(reader, subscribe.result)}</p>
${manageLink(reader, common.otherwise, managePath)}`,
  );
}
