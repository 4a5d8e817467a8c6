import { html } from "hono/html";
import { dayIn, type Language } from "../../core/languages/language";
import type { Html } from "../../http/page";
import { manageLink, page, type Reader, say, senderLine } from "./page";
import { pauses } from "./schema";

/** Shows a button for each length of pause. */
export function pauseForm({ words }: Language, legend: string): Html {
  return html`<form method="post">
<input type="hidden" name="action" value="snooze">
<fieldset>
<legend>${legend}</legend>
${pauses.map((pause) => html`<button name="duration" value="${pause}">${words.pause[pause]}</button>`)}
</fieldset>
</form>
<p class="quiet">${words.manage.afterPause}</p>`;
}

/** Confirms a pause that was chosen on the unsubscribe page. */
export function paused(reader: Reader, until: number, managePath: string): Html {
  const { words } = reader.language;
  return page(
    reader,
    words.pause.done,
    html`${senderLine(reader)}
<h1>${words.pause.done}</h1>
<p>${say(reader, words.pause.result, { date: dayIn(reader.language, until) })}</p>
${manageLink(reader, words.common.otherwise, managePath)}`,
  );
}
