import { houseStyle } from "../../core/house-style";

/** The style of recipients' pages. */
export const style = `${houseStyle}
body {
  min-height: 100vh;
  min-height: 100svh;
  display: grid;
  place-items: start center;
  padding: 1rem;
}
main {
  width: 100%;
  max-width: 32rem;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 1.5rem 1.25rem;
}
h1, h2, p, dl, dd, form { margin: 0; }
/** A topic's name may have longer words than our own texts, so headings are small. */
h1 { font-size: 1.375rem; }
h2 { font-size: 1.125rem; }
main > * + * { margin-top: 1rem; }
main > .sender + h1 { margin-top: 0.25rem; }
.sender, .quiet, dt { color: var(--quiet); font-size: 0.9375rem; }
.address { font-weight: 600; }

button {
  font: inherit;
  font-weight: 600;
  width: 100%;
  min-height: 3rem;
  padding: 0.625rem 1rem;
  color: inherit;
  background: var(--sheet);
  border: 1px solid var(--edge);
  border-radius: 8px;
  cursor: pointer;
}
button:hover { background: var(--hover); }
button:focus-visible { border-radius: 8px; }
.main { color: var(--on-main); background: var(--main); border-color: var(--main); }
.main:hover { background: var(--main-hover); border-color: var(--main-hover); }

form { display: flex; flex-wrap: wrap; gap: 0.75rem; }
form > p { width: 100%; }
input[type="email"] {
  font: inherit;
  width: 100%;
  min-height: 2.75rem;
  margin-top: 0.25rem;
  padding: 0.5rem 0.75rem;
  color: inherit;
  background: var(--sheet);
  border: 1px solid var(--edge);
  border-radius: 8px;
}
fieldset {
  display: grid;
  grid-template-columns: 1fr 1fr;
  gap: 0.75rem;
  width: 100%;
  margin: 0;
  padding: 0;
  border: 0;
}
legend { padding: 0 0 0.5rem; }
fieldset button { width: auto; min-width: 0; padding-inline: 0.25rem; }
dl { border-block: 1px solid var(--line); padding: 0.25rem 0; }
dl div { padding: 0.5rem 0; }
dl div + div { border-top: 1px solid var(--line); }
dd .quiet, dd form { margin-top: 0.5rem; }
.topics dt { color: inherit; font-weight: 600; }
.outcome { border-left: 3px solid var(--link); padding-left: 0.75rem; }

@media (min-width: 34rem) {
  body { place-items: center; padding: 2rem; }
  main { padding: 2.25rem; }
  h1 { font-size: 1.625rem; }
  button { width: auto; min-width: 11rem; min-height: 2.75rem; }
  dl:not(.topics) div { display: flex; gap: 1rem; }
  dt { flex: 0 0 8.5rem; }
}
`;
