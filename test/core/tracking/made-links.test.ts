import { describe, expect, it } from "vitest";
import { madeLinks } from "../../../src/core/tracking/made-links";

const base = "https://mail.acme.example";

describe("madeLinks", () => {
  it("finds what became of each written link, however its attribute is written, and each once", () => {
    const body = `<a href="https://a.example/?a=1&amp;b=2">A</a> <a href=' https://a.example/{{ slug }} '>B</a> <a href="{{ shop }}/sale">C</a>`;
    const html = `<a href="https://a.example/?a=1&amp;b=2">A</a> <a href=' https://a.example/x&amp;y '>B</a> <a href="https://b.example/sale">C</a>
      <a href="https://a.example/?a=1&amp;b=2">again</a>`;
    expect(madeLinks(html, body, base)).toEqual([
      { href: "https://a.example/?a=1&b=2", url: "https://a.example/?a=1&b=2" },
      { href: " https://a.example/x&y ", url: "https://a.example/{{ slug }}" },
      { href: "https://b.example/sale", url: "{{ shop }}/sale" },
    ]);
  });

  it("leaves out what is not counted: the recipient's pages, other protocols, untracked links, and what the body has not", () => {
    const body = `<a href="{{ anything }}">A</a><a data-no-track href="https://a.example/">B</a>`;
    const html = `<a href="${base}/unsubscribe/preview">U</a><a href="mailto:a@a.example">M</a><a href="">E</a>
      <a data-no-track href="https://a.example/">B</a>`;
    expect(madeLinks(html, body, base)).toEqual([]);
    expect(madeLinks('<a href="https://b.example/">F</a>', "<p>No link</p>", base)).toEqual([]);
  });
});
