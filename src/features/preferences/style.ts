/** The look of recipients' pages: that of the house. Colours keep 4.5:1 against what they stand on, in light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f5;
  --sheet: #ffffff;
  --ink: #182126;
  --quiet: #556068;
  --line: #dfe3e0;
  --edge: #86929a;
  --link: #0b5a6b;
  --main: #0f5666;
  --main-hover: #0b4350;
  --on-main: #ffffff;
  --hover: #eef3f2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11171a;
    --sheet: #192024;
    --ink: #e3e9eb;
    --quiet: #9ba8ae;
    --line: #2b353a;
    --edge: #6c7a81;
    --link: #7fcadb;
    --main: #7fcadb;
    --main-hover: #a3dbe7;
    --on-main: #0b2229;
    --hover: #1f282c;
  }
}

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100svh;
  display: grid;
  place-items: start center;
  padding: 1rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: 100%;
  max-width: 32rem;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 1.5rem 1.25rem;
}
h1, p, dl, dd, form { margin: 0; }
h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.012em; text-wrap: balance; }
main > * + * { margin-top: 1rem; }
main > .sender + h1 { margin-top: 0.25rem; }
.sender, .quiet, dt { color: var(--quiet); font-size: 0.9375rem; }
.address { font-weight: 600; }
a { color: var(--link); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }

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
fieldset button { width: auto; min-width: 0; padding-inline: 0.5rem; }
dl { border-block: 1px solid var(--line); padding: 0.25rem 0; }
dl div { padding: 0.5rem 0; }
dl div + div { border-top: 1px solid var(--line); }
.outcome { border-left: 3px solid var(--link); padding-left: 0.75rem; }

@media (min-width: 34rem) {
  body { place-items: center; padding: 2rem; }
  main { padding: 2.25rem; }
  button { width: auto; min-width: 11rem; min-height: 2.75rem; }
  dl div { display: flex; gap: 1rem; }
  dt { flex: 0 0 8.5rem; }
}
`;
