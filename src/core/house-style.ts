/**
 * The style shared by all pages: colours with a contrast of 4.5:1 in light and dark, text, links and the focus outline.
 */
export const houseStyle = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f5;
  --sheet: #ffffff;
  --ink: #182126;
  --quiet: #556068;
  --line: #dfe3e0;
  --edge: #86929a;
  --link: #0b5a6b;
  --hover: #eef3f2;
  --main: #0f5666;
  --main-hover: #0b4350;
  --on-main: #ffffff;
  --alarm: #a52a1d;
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
    --hover: #1f282c;
    --main: #7fcadb;
    --main-hover: #a3dbe7;
    --on-main: #0b2229;
    --alarm: #ff9d8f;
  }
}

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.012em; text-wrap: balance; }
a { color: var(--link); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
`;
