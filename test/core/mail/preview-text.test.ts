import { describe, expect, it } from "vitest";
import { withPreviewText } from "../../../src/core/mail/preview-text";

const before = (html: string) => withPreviewText(html, "Hi").split("<div")[0];

describe("a preview text", () => {
  it.each([
    ["<p>Body</p>", ""],
    [
      "<html><head><title>x</title></head><body class='a'><p>Body</p>",
      "<html><head><title>x</title></head><body class='a'>",
    ],
    ["<!DOCTYPE html>\n<html lang=en><p>Body</p>", "<!DOCTYPE html>\n<html lang=en>"],
    ["<!doctype html><head><style>p{}</style></head><p>Body</p>", "<!doctype html><head><style>p{}</style></head>"],
    ["", ""],
  ])("stands before all that is shown of %s", (html, start) => {
    expect(before(html)).toBe(start);
    expect(withPreviewText(html, "Hi").endsWith(html.slice(start.length))).toBe(true);
  });

  it("is text, whatever it says", () => {
    expect(withPreviewText("", `<b>"A" & B</b>`)).toContain("&lt;b&gt;&#34;A&#34; &amp; B&lt;/b&gt;");
  });

  it("changes nothing when it is empty", () => {
    expect(withPreviewText("<p>Body</p>", " ")).toBe("<p>Body</p>");
  });
});
