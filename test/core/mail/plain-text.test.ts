import { describe, expect, it } from "vitest";
import { plainText } from "../../../src/core/mail/plain-text";

describe("writes", () => {
  it.each<[promise: string, html: string, text: string]>([
    [
      "links as text and URL",
      '<a href="https://x.y/z?a=1&amp;b=2">our <b>shop</b></a>',
      "our shop (https://x.y/z?a=1&b=2)",
    ],
    ["a link whose text is its URL once", '<a href="https://x.y">https://x.y</a>', "https://x.y"],
    ["an address once", '<a href="mailto:a@b.c">a@b.c</a>', "a@b.c"],
    ["a link without text as its URL", '<a href="https://x.y"></a>', "https://x.y"],
    ["a link within the mail as its text", '<a href="#top">top</a> <a name="x">here</a>', "top here"],
    ["images by their alt", 'a <img src="https://x/y.png" alt="Logo"> b <img src="z.png">', "a Logo b"],
    ["a linked image as a link", '<a href="https://x.y"><img src="a.png" alt="Shop"></a>', "Shop (https://x.y)"],
    ["entities decoded", "<p>Tom &amp; Jo &lt;3 &euro;5&nbsp;&#8364; caf&eacute;</p>", "Tom & Jo <3 €5\u00a0€ café"],
    ["headings as they are", "<h1>Big News</h1><p>Text</p>", "Big News\n\nText"],
    ["paragraphs and line breaks", "<p>a<br>b</p><p>c</p><div>d</div><div>e</div>", "a\nb\n\nc\n\nd\ne"],
    ["bulleted lists", "<ul><li>one</li><li>two</li></ul>", "- one\n- two"],
    ["numbered lists", "<ol start=5 type=i><li>one</li><li>two</li></ol>", "1. one\n2. two"],
    ["nested lists", "<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n  1. b\n- c"],
    [
      "a table row on one line",
      "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3 €</td></tr></table>",
      "Item Price\nTea 3 €",
    ],
    [
      "nothing of styles, scripts, titles and comments",
      "<head><title>T</title><style>p{}</style></head><script>x</script><!-- c -->a",
      "a",
    ],
    ["only the body of a whole document", "<html><head><title>T</title></head><body><p>a</p></body></html>", "a"],
    ["text without any HTML", "just text", "just text"],
    ["nothing for nothing", "", ""],
  ])("%s", (_, html, text) => {
    expect(plainText(html)).toBe(text);
  });
});

it("wraps no lines", () => {
  const words = "word ".repeat(200).trim();
  expect(plainText(`<p>${words}</p>`)).toBe(words);
});

describe("survives", () => {
  it.each<[promise: string, html: string]>([
    ["100,000 nested tags", "<div>".repeat(100_000)],
    ["100,000 nested and as many end tags that fit none", "<div>".repeat(100_000) + "</span>".repeat(100_000)],
    ["nested links", '<a href="x">'.repeat(900) + "word ".repeat(100_000)],
    ["nested lists around many lines", `${"<ul><li>".repeat(49)}<pre>${"x\n".repeat(200_000)}`],
    ["nested quotations around many lines", "<blockquote>".repeat(90) + "x<br>".repeat(29_000)],
    ["Roman numerals in the billions", `<ol type=i start=1000000000>${"<li>x".repeat(900)}`],
    ["two million characters of <", "<".repeat(2_000_000)],
    ["two million characters of text", "word ".repeat(400_000)],
    ["comments that never end", "<!--".repeat(500_000)],
    ["one enormous attribute", `<a href="${"x".repeat(2_000_000)}">y</a>`],
  ])("%s", (_, html) => {
    expect(plainText(html).length).toBeLessThan(4_000_100);
  });

  it("a mail with too many tags, by ending where they are too many", () => {
    const text = plainText("<b>x</b>".repeat(20_000));
    expect(text).toBe("x".repeat(15_000));
  });
});
