import { describe, expect, it } from "vitest";
import { chooseLanguage } from "../../../src/core/languages/language";
import { inDocument, kindOf } from "../../../src/core/mail/document";
import { renderMail } from "../../../src/core/mail/render-mail";

const links = {
  unsubscribeUrl: "https://p.example/unsubscribe/u",
  subscribeUrl: "https://p.example/subscribe/s",
  manageUrl: "https://p.example/manage/m",
};

function mail(body: string, more: { type?: "MARKETING"; previewText?: string; locale?: string } = {}) {
  const { locale = "en", ...rest } = more;
  const said = {
    type: "TRANSACTIONAL" as const,
    subject: "Hi",
    body,
    variables: { ...links, name: "Ada" },
    links,
    headers: {},
    ...rest,
  };
  const imprint = { company: "Acme GmbH", postalAddress: "1 Main St" };
  return renderMail({ ...said, list: { feedbackId: "", listId: "" }, language: chooseLanguage([locale]), imprint });
}

const kind = (output: string) => kindOf({ output, frame: null, values: [] });

describe("a fragment", () => {
  it("goes out in a document of its recipient's language, which costs 600 bytes at most", () => {
    const { html, text } = mail("<p>Hi {{ name }}</p>", { locale: "de-AT" });
    expect(html).toMatch(
      /^<!doctype html><html lang="de"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">.*<\/head><body .*<p>Hi Ada<\/p><\/div><\/body><\/html>$/,
    );
    expect(html.length - "<p>Hi Ada</p>".length).toBeLessThan(600);
    expect(text).toBe("Hi Ada");
  });

  it("has its preview text, footer and all else within that document", () => {
    const { html, text } = mail("<p>Hi</p>", { type: "MARKETING", previewText: "Look" });
    expect(html).toMatch(
      /<body [^>]*><div [^>]*><div [^>]*aria-hidden="true">Look.*<\/div><p>Hi<\/p><div .*Acme GmbH<br>1 Main St<\/div><\/div><\/body><\/html>$/,
    );
    expect(text).toMatch(/^Hi\n\nYou get this email .*\n\nAcme GmbH\n1 Main St$/s);
  });

  it.each([
    ["<p>Hi</p>", "plain"],
    ['<p style="font-weight:bold;border-color:#ccc">Hi</p>', "plain"],
    // A button is readable on any ground.
    ['<a href="x" style="background:#06c;color:#fff">Go</a>', "plain"],
    ["<a style='color: white; background-color: navy'>Go</a>", "plain"],
    ["<p>The colour is blue, color: blue</p>", "plain"],
    ["<style>p{color:#333}@media (prefers-color-scheme: dark){p{color:#ccc}}</style><p>Hi</p>", "plain"],
    ['<p style="color:#333">Hi</p>', "coloured"],
    ["<P STYLE='margin:0;COLOR:#333'>Hi</P>", "coloured"],
    ['<div style="background:#f5f5f5">Hi</div>', "coloured"],
    ['<table bgcolor="#eeeeee"><tr><td>Hi</td></tr></table>', "coloured"],
    ["<font color=red>Hi</font>", "coloured"],
    ["<style>p{color:#333}</style><p>Hi</p>", "coloured"],
    ['<p style="color:{{ x }}">Hi</p>', "coloured"],
  ])("%s is %s", (html, expected) => {
    expect(kind(html)).toBe(expected);
    expect(inDocument(html, kind(html), "en")).toContain(
      `<meta name="color-scheme" content="${expected === "plain" ? "light dark" : "light"}">`,
    );
  });
});

describe("a whole document", () => {
  it.each([
    "<html><body>Hi</body></html>",
    "<!DOCTYPE html>\n<HTML lang=nl>\n<p>Hi",
    "{% if name %}<html>{% endif %}<p>Hi",
    '{{ "<html><p>Hi" | raw }}',
  ])("is left as it is: %s", (body) => {
    expect(mail(body).html).toBe(body.replace(/\{%.*?%\}|\{\{ "|" \| raw \}\}/g, ""));
  });

  it("keeps a body that it brings alone, and gets what is around it", () => {
    const { html } = mail('<body class="x"><p>Hi</p></body>', { type: "MARKETING" });
    expect(html).toMatch(
      /^<!doctype html><html lang="en"><head>.*<\/head><body class="x"><p>Hi<\/p><div .*<\/div><\/body><\/html>$/,
    );
    expect(html.match(/<body/g)).toHaveLength(1);
  });

  const footerOf = (html: string) => /<div class="petrel-footer" style="([^"]*)">/.exec(html)?.[1] ?? "";

  it("has a footer on a ground of its own, so that no colour around it matters", () => {
    const { html } = mail('<html><body style="background:#111"><p>Hi</p></body></html>', { type: "MARKETING" });
    expect(footerOf(html)).toContain("background:#fff;color:#4d565b");
    expect(html).not.toContain("prefers-color-scheme");
  });

  it("has a dark one in the dark, if the document is dark there", () => {
    const dark = '<html><head><meta name="color-scheme" content="light dark"></head><body><p>Hi</p></body></html>';
    const { html } = mail(dark, { type: "MARKETING" });
    expect(html).toContain("@media(prefers-color-scheme:dark){.petrel-footer{background:#1c2023!important;");
  });
});

it("takes no time over what is made to be slow", () => {
  const started = performance.now();
  for (const piece of ["<", " style=", ' style="', " style=' ", " style ", ";color", "<body", "color", " "]) {
    const html = piece.repeat(Math.floor(2_000_000 / piece.length));
    inDocument(html, kind(html), "en");
  }
  expect(performance.now() - started).toBeLessThan(3_000);
});
