import { describe, expect, it } from "vitest";
import { asWritten, flawsOf } from "../../../src/core/mail/flaws";

const found = (html: string) => [...flawsOf(html).keys()];

describe("a link", () => {
  it.each([
    ['<a href="https://acme.example/a?b=1&amp;c=2">x</a>'],
    ["<a href='mailto:help@acme.example'>x</a>"],
    ["<a href=tel:+4512345678>x</a>"],
    ['<a href="#terms">x</a>'],
    ['<a name="terms">x</a>'],
    ['<a href=" https://acme.example ">x</a>'],
    ['<!-- <a href=""> -->'],
    ['<style>a[href=""] { color: red } <a href=""></style>'],
    ['<p title="<a href=>">x</p>'],
    ["a < b <"],
  ])("%s is sound", (html) => expect(found(html)).toEqual([]));

  it.each([
    ['<a href="">x</a>', "empty_link"],
    ["<a href>x</a>", "empty_link"],
    ['<A HREF="  ">x</A>', "empty_link"],
    ['<a href="#">x</a>', "empty_link"],
    ['<area href="" alt="x">', "empty_link"],
    ['<a href="/sale">x</a>', "link_not_absolute"],
    ['<a href="//acme.example">x</a>', "link_not_absolute"],
    ['<a href="www.acme.example">x</a>', "link_not_absolute"],
    ['<a href="https://">x</a>', "link_not_absolute"],
    ['<a href="" href="https://acme.example">x</a>', "empty_link"],
    ['<!--[if mso]><a href="/x"><![endif]--><a href="/y">', "link_not_absolute"],
  ])("%s: %s", (html, flaw) => expect(found(html)).toEqual([flaw]));
});

describe("an image", () => {
  it("has an alt, if only an empty one", () => {
    expect(found('<img src="https://acme.example/a.png" alt="A chart">')).toEqual([]);
    expect(found('<img src="https://acme.example/a.png" alt="">')).toEqual([]);
    expect(found('<img alt src="https://acme.example/a.png">')).toEqual([]);
    expect(found('<img src="https://acme.example/a.png">')).toEqual(["image_without_alt"]);
  });
});

it("names each flaw once, and reads on behind a style sheet", () => {
  const html = '<style>p > a { }</style><a href=""><a href=""><img src="x"><a href="y">';
  expect(found(html)).toEqual(["empty_link", "image_without_alt", "link_not_absolute"]);
});

it.each([
  ["<p title='>' class=\"<a href=''>\" hidden>", []],
  ["<p title = '<img>' a=b=c><img>", ["image_without_alt"]],
  ['<p =">"><img>', ["image_without_alt"]],
  ["</p title='<img>'>", []],
])("reads past %s", (html, expected) => expect(found(html)).toEqual(expected));

it("takes no longer than the text is long", () => {
  const at = performance.now();
  for (const part of ["<p a= ", "<p a='", "<a href=", "<!-", "<p ="]) flawsOf(part.repeat(20_000));
  expect(performance.now() - at).toBeLessThan(2_000);
});

it("ends with a tag that does not", () => {
  expect(found('<a href="/x">x</a><img src="x')).toEqual(["link_not_absolute"]);
});

it("tells which link or image it is, five of each at most", () => {
  expect(flawsOf('<a class=b href="#">Read more</a><img src="https://acme.example/a.png" width=3>')).toEqual(
    new Map([
      ["empty_link", ['<a class=b href="#">Read more']],
      ["image_without_alt", ['<img src="https://acme.example/a.png" width=3>']],
    ]),
  );
  const many = Array.from({ length: 9 }, (_, n) => `<a href="/${n}">x</a><a href="/${n}">x</a>`).join("");
  expect(flawsOf(many).get("link_not_absolute")).toEqual([0, 1, 2, 3, 4].map((n) => `<a href="/${n}">x`));
});

it("tells of a link only what is written in the body", () => {
  const body = '<a href="/{{ slug }}">{{ name }}</a>';
  expect(asWritten('<a href="/news">News', '<a href="/news">News</a>')).toBe('<a href="/news">News');
  expect(asWritten('<a href="/ada@example.com">Ada', body)).toBe('<a href="/…');
});
