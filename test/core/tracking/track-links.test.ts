import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { readClickToken, readPixelToken } from "../../../src/core/tracking/token";
import { withTracking } from "../../../src/core/tracking/track-links";
import { openTracker } from "../../../src/core/tracking/tracker";

const secret = "a-secret-of-more-than-32-characters-here";
const base = "https://mail.example";
const mail = { projectId: 7, emailId: newId() };

/** The HTML with what it leads to in the place of our URLs: `[1 https://x.test]`, and `[pixel]`. */
function tracked(html: string): string {
  return withTracking({ output: html, frame: html, values: [] }, openTracker(secret, base, mail))
    .output.replace(/https:\/\/mail\.example\/c\/([\w-]+)/g, (whole, token: string) => {
      const click = readClickToken([secret], token);
      return click ? `[${click.number} ${click.url}]` : whole;
    })
    .replace(/<img src="https:\/\/mail\.example\/o\/([\w-]+)" alt="" aria-hidden="true"[^>]*>/g, (_, token: string) =>
      readPixelToken([secret], token) ? "[pixel]" : "[?]",
    );
}

const long = `https://x.test/${"x".repeat(1_485)}`;

const shapes: [html: string, expected: string][] = [
  // Links
  ['<a href="https://x.test/">x</a>', '<a href="[1 https://x.test/]">x</a>[pixel]'],
  ["<a href='http://x.test'>x</a>", '<a href="[1 http://x.test]">x</a>[pixel]'],
  ["<a href=https://x.test/a>x</a>", '<a href="[1 https://x.test/a]">x</a>[pixel]'],
  ["<a href=https://x.test/>x</a>", '<a href="[1 https://x.test/]">x</a>[pixel]'],
  ['<A HREF="HTTPS://X.test">x</A>', '<A HREF="[1 HTTPS://X.test]">x</A>[pixel]'],
  [
    '<a\n  class="b"\thref = "https://x.test" id=c>x</a>',
    '<a\n  class="b"\thref = "[1 https://x.test]" id=c>x</a>[pixel]',
  ],
  ['<a class="b"href="https://x.test"/>', '<a class="b"href="[1 https://x.test]"/>[pixel]'],
  ['<a/href="https://x.test">x', '<a/href="[1 https://x.test]">x[pixel]'],
  ['<a href=" https://x.test/a\n b ">x</a>', '<a href="[1 https://x.test/a b]">x</a>[pixel]'],
  [
    '<a href="https://x.test/?a=1&amp;b=2&copy=3&#38;c">x</a>',
    '<a href="[1 https://x.test/?a=1&b=2&copy=3&c]">x</a>[pixel]',
  ],
  ['<a href="https://x.test/&quot;&lt;">x</a>', '<a href="[1 https://x.test/"<]">x</a>[pixel]'],
  ['<a href="https://x.test/é🐦">x</a>', '<a href="[1 https://x.test/é🐦]">x</a>[pixel]'],
  ['<map><area href="https://x.test"></map>', '<map><area href="[1 https://x.test]"></map>[pixel]'],
  [
    '<a href="https://x.test/1"><img src="https://x.test/i.png"></a>',
    '<a href="[1 https://x.test/1]"><img src="https://x.test/i.png"></a>[pixel]',
  ],
  [
    '<a href="https://x.test/1"><a href="https://x.test/2">',
    '<a href="[1 https://x.test/1]"><a href="[2 https://x.test/2]">[pixel]',
  ],
  [
    '<a href="https://x.test/1" href="https://x.test/2">',
    '<a href="[1 https://x.test/1]" href="https://x.test/2">[pixel]',
  ],
  ['<a title="a > b" href="https://x.test">', '<a title="a > b" href="[1 https://x.test]">[pixel]'],
  ['<a title=\'"\' href="https://x.test">', '<a title=\'"\' href="[1 https://x.test]">[pixel]'],
  ['<a href="https://x.test/$&amp;$1">', '<a href="[1 https://x.test/$&$1]">[pixel]'],
  [`<a href="${long}">`, `<a href="[1 ${long}]">[pixel]`],
  // Others
  [`<a href="${long}x">`, `<a href="${long}x">[pixel]`],
  ['<a href="mailto:a@b.test">', '<a href="mailto:a@b.test">[pixel]'],
  ['<a href="tel:+1">1</a><a href="sms:+1">2</a>', '<a href="tel:+1">1</a><a href="sms:+1">2</a>[pixel]'],
  [
    '<a href="#top">1</a><a href="">2</a><a href>3</a><a name="x">4</a>',
    '<a href="#top">1</a><a href="">2</a><a href>3</a><a name="x">4</a>[pixel]',
  ],
  [
    '<a href="/a">1</a><a href="b.html">2</a><a href="//x.test">3</a>',
    '<a href="/a">1</a><a href="b.html">2</a><a href="//x.test">3</a>[pixel]',
  ],
  [
    '<a href="javascript:alert(1)">1</a><a href="data:text/html,x">2</a>',
    '<a href="javascript:alert(1)">1</a><a href="data:text/html,x">2</a>[pixel]',
  ],
  ['<a href="https://">1</a><a href="http://a b">2</a>', '<a href="https://">1</a><a href="http://a b">2</a>[pixel]'],
  [
    '<a data-no-track href="https://x.test">1</a><a href="https://y.test">2</a>',
    '<a data-no-track href="https://x.test">1</a><a href="[2 https://y.test]">2</a>[pixel]',
  ],
  ['<a href="https://x.test" DATA-NO-TRACK="true">1</a>', '<a href="https://x.test" DATA-NO-TRACK="true">1</a>[pixel]'],
  ['<a href="https://mail.example/unsubscribe/t">1</a>', '<a href="https://mail.example/unsubscribe/t">1</a>[pixel]'],
  ['<a href="HTTPS://MAIL.example/manage/t?x=1#y">1</a>', '<a href="HTTPS://MAIL.example/manage/t?x=1#y">1</a>[pixel]'],
  [
    '<a href="https://mail.example/subscribe/t">1</a><a href="https://mail.example/confirm/t">2</a>',
    '<a href="https://mail.example/subscribe/t">1</a><a href="https://mail.example/confirm/t">2</a>[pixel]',
  ],
  ['<a href="https://mail.example/c/t">1</a>', '<a href="https://mail.example/c/t">1</a>[pixel]'],
  [
    '<a href="https://mail.example.org/unsubscribe/t">1</a>',
    '<a href="[1 https://mail.example.org/unsubscribe/t]">1</a>[pixel]',
  ],
  ['<a href="https://mail.example/docs">1</a>', '<a href="[1 https://mail.example/docs]">1</a>[pixel]'],
  [
    '<link href="https://x.test/a.css"><img src="https://x.test"><form action="https://x.test">',
    '<link href="https://x.test/a.css"><img src="https://x.test"><form action="https://x.test">[pixel]',
  ],
  [
    '<abbr href="https://x.test"><a-b href="https://x.test">',
    '<abbr href="https://x.test"><a-b href="https://x.test">[pixel]',
  ],
  // What only looks like a link
  ['<!-- <a href="https://x.test"> -->', '<!-- <a href="https://x.test"> -->[pixel]'],
  [
    '<!--[if mso]><a href="https://x.test">x</a><![endif]--><a href="https://y.test">',
    '<!--[if mso]><a href="https://x.test">x</a><![endif]--><a href="[1 https://y.test]">[pixel]',
  ],
  [
    '<!--[if !mso]><!--><a href="https://x.test"><!--<![endif]-->',
    '<!--[if !mso]><!--><a href="[1 https://x.test]"><!--<![endif]-->[pixel]',
  ],
  [
    "<style>a::after{content:'<a href=\"https://x.test\">'}</style>",
    "<style>a::after{content:'<a href=\"https://x.test\">'}</style>[pixel]",
  ],
  [
    '<script>"<a href=https://x.test>"</script><title><a href="https://x.test"></title>',
    '<script>"<a href=https://x.test>"</script><title><a href="https://x.test"></title>[pixel]',
  ],
  [
    '<textarea><a href="https://x.test"></TEXTAREA ><a href="https://y.test">',
    '<textarea><a href="https://x.test"></TEXTAREA ><a href="[1 https://y.test]">[pixel]',
  ],
  ["<p title='<a href=\"https://x.test\">'>x</p>", "<p title='<a href=\"https://x.test\">'>x</p>[pixel]"],
  ["a < b <3 <a", "a < b <3 [pixel]<a"],
  // Where the pixel goes
  ["<html><body>x</body></html>\n", "<html><body>x[pixel]</body></html>\n"],
  ["<html>x</HTML >", "<html>x[pixel]</HTML >"],
  ["<!-- </body> --><body>x</BODY\n>y", "<!-- </body> --><body>x[pixel]</BODY\n>y"],
  ['x<a href="https://x.test', 'x[pixel]<a href="https://x.test'],
  ['x<a href="https://x.test">y<!-- z', 'x<a href="[1 https://x.test]">y[pixel]<!-- z'],
  ["x<style>y</sty", "x[pixel]<style>y</sty"],
  ["", "[pixel]"],
];

describe("a mail's links and its pixel", () => {
  it.each(shapes)("%s", (html, expected) => {
    expect(tracked(html)).toBe(expected);
  });

  it("are at most a thousand links", () => {
    const html = '<a href="https://x.test">x</a>'.repeat(1_002);
    expect(tracked(html).match(/\[\d+ /g)).toHaveLength(1_000);
  });

  it("leave all the rest as it is", () => {
    const scraps = [
      "<",
      ">",
      "<p>",
      "</p>",
      "<!--",
      "-->",
      "<b c='",
      "'",
      '"',
      "=",
      "/",
      " ",
      "x",
      "<style>",
      "</style>",
      "</body>",
      "&amp;",
      "<img src=https://x.test>",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...scraps), { maxLength: 30 }), (parts) => {
        const html = parts.join("");
        expect(tracked(html).replace("[pixel]", "")).toBe(html);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are found in a time that grows with the length alone", () => {
    for (const scrap of ["<a ", '<a href="', "<!--", "<a x='", "<style>", "</", "<a href =", `<a ${" ".repeat(99)}`]) {
      const startedAt = performance.now();
      tracked(scrap.repeat(200_000 / scrap.length));
      expect([scrap, performance.now() - startedAt < 2_000]).toEqual([scrap, true]);
    }
  });
});
