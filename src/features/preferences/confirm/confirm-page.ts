import { html } from "hono/html";
import type { Html } from "../../../http/page";
import { manageLink, page, type Reader, say, senderLine, titled } from "../page";

/** Asks before it confirms, because mail scanners follow links too. */
export function askToConfirm(reader: Reader): Html {
  const { confirm } = reader.language.words;
  return page(
    reader,
    titled(reader, confirm.title),
    html`${senderLine(reader)}
<h1>${confirm.question}</h1>
<p>${say(reader, confirm.effect)}</p>
<form method="post"><button class="main">${confirm.button}</button></form>
<p class="quiet">${confirm.nothing}</p>`,
  );
}

export function confirmed(reader: Reader, managePath: string): Html {
  const { confirm, subscribe, common } = reader.language.words;
  return page(
    reader,
    confirm.done,
    html`${senderLine(reader)}
<h1>${confirm.done}</h1>
<p>${say(reader, subscribe.result)}</p>
${manageLink(reader, common.otherwise, managePath)}`,
  );
}

/**
 * Shows why the link cannot confirm. Only the text for "impossible" contains the reader's address. In that case, it is
 * still the address to which the link was sent.
 */
export function notConfirmed(reader: Reader, why: "expired" | "void" | "impossible"): Html {
  const { confirm } = reader.language.words;
  return page(
    reader,
    confirm[why],
    html`${senderLine(reader)}
<h1>${confirm[why]}</h1>
<p>${say(reader, confirm[`${why}Text`])}</p>`,
  );
}
