import { describe, expect, it } from "vitest";
import { eachTag, type Tag } from "../../../src/core/html/tags";

const links = new Set(["a"]);

function tagsOf(html: string): { tags: string[]; end: number } {
  const tags: string[] = [];
  const end = eachTag(html, links, ({ name, isEnd }) => tags.push(isEnd ? `/${name}` : name));
  return { tags, end };
}

function linkIn(html: string): Tag {
  const tags: Tag[] = [];
  eachTag(html, links, (tag) => tags.push(tag));
  const link = tags.find(({ name }) => name === "a");
  if (!link) throw new Error(`No link in ${html}`);
  return link;
}

describe("the tags of HTML", () => {
  it.each<[what: string, html: string, tags: string[]]>([
    ["in order, in small letters", "<P>Hello <B>Ada</B></p>", ["p", "b", "/b", "/p"]],
    ["none in a comment", "<!-- <a> --><p>", ["p"]],
    ["none in what begins like a comment", "<!x <a> <? <b> </ <i> <p>", ["p"]],
    ["none in an attribute", `<p title="<a>" lang='<b>'>`, ["p"]],
    ["none in a style sheet", "<style>p > a <a> </style><p>", ["style", "/style", "p"]],
    ["none behind plaintext", "<plaintext><a></plaintext><p>", ["plaintext"]],
    ["none where a < is text", "1 < 2 <3 <p>", ["p"]],
  ])("%s", (_, html, tags) => {
    expect(tagsOf(html).tags).toEqual(tags);
  });

  it.each<[what: string, html: string, end: string]>([
    ["the text", "<p>Hello", ""],
    ["a comment without an end", "<p><!-- <a>", "<!-- <a>"],
    ["a tag without an end", `<p><a href="x`, `<a href="x`],
    ["an element of text without an end", "<p><title>Hello<p>", "<title>Hello<p>"],
  ])("end where %s does", (_, html, rest) => {
    expect(html.slice(tagsOf(html).end)).toBe(rest);
  });
});

describe("the attributes of a tag", () => {
  it.each<[what: string, html: string, raw: string | null | undefined]>([
    ["in double quotes", `<a class=x href = "u&amp;v" >`, "u&amp;v"],
    ["in single quotes", "<a href='u'>", "u"],
    ["without quotes", "<a href=u/v>", "u/v"],
    ["in capitals", `<A HREF="u">`, "u"],
    ["twice", `<a href="u" href="v">`, "u"],
    ["without a value", "<a href>", null],
    ["missing", "<a name=href>", undefined],
  ])("%s", (_, html, raw) => {
    const href = linkIn(html).attributes.get("href");
    expect(href === null ? null : href?.raw).toBe(raw);
  });

  it("know where their values are, including the quotes", () => {
    const html = `<p><a href="u" id=v>`;
    const { attributes, start, end } = linkIn(html);
    const [href, id] = [attributes.get("href"), attributes.get("id")];
    expect(html.slice(href?.start, href?.end)).toBe('"u"');
    expect(html.slice(id?.start, id?.end)).toBe("v");
    expect(html.slice(start, end)).toBe(`<a href="u" id=v>`);
  });

  it("are read of the elements that are asked for alone", () => {
    const seen: number[] = [];
    eachTag(`<p id="x"><a id="x">`, links, ({ attributes }) => seen.push(attributes.size));
    expect(seen).toEqual([0, 1]);
  });
});
