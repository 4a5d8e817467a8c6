import { houseStyle } from "../../core/house-style";

/** The style of the outbox. Cells show text of emails, so every cell lets long words break. */
export const style = `${houseStyle}
:root { --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
html { scroll-padding-top: 1rem; }
h1, h2, p, dl, dd, ol, pre, table { margin: 0; padding: 0; }
h2 { font-size: 1.0625rem; line-height: 1.4; }
code, pre { font-family: var(--mono); font-size: 0.875em; }
small { font-size: 0.875rem; color: var(--quiet); }

.bar { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
.bar, main { max-width: 74rem; margin: 0 auto; padding: 0.875rem 1.5rem; }
.bar > a:last-child { font-size: 0.9375rem; }
main { padding-bottom: 4rem; }
.brand { display: flex; align-items: center; gap: 0.625rem; color: inherit; font-weight: 650; text-decoration: none; }

.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: end; gap: 1rem 2rem; margin: 1.25rem 0 1.25rem; }
.head p { color: var(--quiet); margin-top: 0.25rem; }

button, .button, input {
  font: inherit;
  font-size: 1rem;
  color: inherit;
  background: var(--sheet);
  border: 1px solid var(--edge);
  border-radius: 8px;
  padding: 0.4375rem 0.75rem;
  min-height: 2.5rem;
}
button, .button { font-weight: 550; cursor: pointer; text-decoration: none; }
button:hover, .button:hover { background: var(--hover); }
::placeholder { color: var(--quiet); opacity: 1; }
.filter { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.filter label { font-size: 0.9375rem; color: var(--quiet); }
.filter input { width: 13rem; min-width: 0; flex: 1 1 9rem; }

.mails, .note { background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; }
.mails { list-style: none; overflow: hidden; }
.mails li {
  position: relative;
  display: grid;
  grid-template-columns: minmax(0, 17rem) minmax(0, 1fr) 15rem;
  gap: 0 1.75rem;
  padding: 0.8125rem 1.25rem;
}
.mails li + li { border-top: 1px solid var(--line); }
.mails li:hover { background: var(--hover); }
.mails li > div > * { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.mails li span { color: var(--quiet); font-size: 0.9375rem; }
.what a { color: inherit; font-weight: 600; text-decoration: none; }
/** The whole row is a link to the mail. */
.what a::after { content: ""; position: absolute; inset: 0; }
.what a:focus-visible { outline: none; }
.mails li:has(a:focus-visible) { outline: 2px solid var(--link); outline-offset: -2px; border-radius: 12px; }
.when { text-align: right; font-size: 0.9375rem; font-variant-numeric: tabular-nums; }
.when time { color: var(--quiet); }
.badge { font-size: 0.8125rem; font-weight: 550; color: var(--quiet); border: 1px solid var(--line); border-radius: 6px; padding: 0 0.375rem; margin-right: 0.375rem; }
.badge.alarm { color: var(--alarm); border-color: currentColor; }

.more { margin-top: 1.25rem; }
.more .button { display: inline-flex; align-items: center; }
.empty { margin-top: 1.5rem; font-size: 0.9375rem; color: var(--quiet); }
summary { cursor: pointer; width: fit-content; padding: 0.25rem 0; color: var(--link); }
summary:hover { text-decoration: underline; text-underline-offset: 0.18em; }
.empty button { margin-top: 0.625rem; color: var(--alarm); border-color: currentColor; }

.note { padding: 2rem; }
.note h1, .note h2 { font-size: 1.25rem; }
.note p { max-width: 38rem; margin-top: 0.5rem; color: var(--quiet); }
.note pre { margin-top: 1.25rem; background: var(--ground); }

.back { font-size: 0.9375rem; margin: 0.75rem 0 1rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 0.375rem 2rem; margin: 1rem 0 1.25rem; }
.facts div { display: flex; gap: 0.75rem; align-items: baseline; }
dt { flex: 0 0 5rem; color: var(--quiet); font-size: 0.9375rem; }
dd { min-width: 0; }
.parts { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0.375rem 0; border-block: 1px solid var(--line); font-size: 0.9375rem; }

main > section:not(.note) { margin-top: 2rem; }
.parts a { padding: 0.25rem 0; }
section > h2 { margin-bottom: 0.625rem; }
.hint, .none { color: var(--quiet); font-size: 0.9375rem; margin: 0.5rem 0; }
/* An email is written for white paper, whatever the page around it looks like. */
iframe { display: block; width: 100%; height: min(36rem, 75vh); min-height: 12rem; resize: vertical; background: #fff; color-scheme: light; border: 1px solid var(--line); border-radius: 12px; }
.narrow { display: flex; align-items: center; gap: 0.5rem; width: fit-content; min-height: 1.5rem; margin-bottom: 0.5rem; font-size: 0.9375rem; color: var(--quiet); cursor: pointer; }
.narrow input { min-height: 0; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--main); }
#html:has(.narrow :checked) iframe { width: 392px; max-width: 100%; }
pre { white-space: pre-wrap; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.25rem; line-height: 1.55; }
details pre { max-height: 40rem; overflow: auto; margin-top: 0.5rem; }
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; font-size: 0.9375rem; }
th, td { padding: 0.5rem 1.25rem; text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 400; }
tbody th { font-weight: 550; }
tbody :is(th, td) { border-top: 1px solid var(--line); }
#headers :is(th, td):first-child { width: 14rem; }
#headers td { font-family: var(--mono); font-size: 0.875em; line-height: 1.65; white-space: pre-wrap; }

@media (max-width: 46rem) {
  .bar, main { padding-inline: 1rem; }
  .mails li { grid-template-columns: minmax(0, 1fr) auto; gap: 0.125rem 1rem; padding: 0.8125rem 1rem; }
  .who, .when { display: contents; }
  .what { grid-area: 2 / 1 / 3 / 3; }
  .when > div { grid-area: 1 / 2; text-align: right; font-size: 0.9375rem; }
  .who span { grid-area: 3 / 1; }
  .when span { grid-area: 3 / 2; max-width: 9rem; justify-self: end; }
  .filter, .filter label { width: 100%; }
  .note { padding: 1.25rem; }
  #headers :is(th, td), #headers tr { display: block; width: auto !important; }
  #headers thead { position: absolute; clip-path: inset(50%); }
  #headers td { border-top: 0; padding-top: 0; }
  #headers th { padding-bottom: 0; }
  th, td, pre { padding-inline: 1rem; }
}

@media (max-width: 30rem) {
  /** If the status and time were in the same row as an address, only a few letters of it would fit. */
  .mails li { grid-template-columns: auto minmax(0, 1fr); }
  .who > div { grid-area: 1 / 1 / 2 / 3; }
  .who span { grid-area: 3 / 1 / 4 / 3; }
  .when > div { grid-area: 4 / 1; text-align: left; }
  .when span { grid-area: 4 / 2; }
}

@media (min-width: 66rem) {
  /** Shows the mail and its text side by side, for comparison. */
  main:has(#html) { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); column-gap: 1.5rem; }
  main > * { grid-column: 1 / -1; }
  main > #html { grid-column: 1; }
  main > #text { grid-column: 2; }
  #text pre { height: min(36rem, 75vh); overflow: auto; }
}
`;
