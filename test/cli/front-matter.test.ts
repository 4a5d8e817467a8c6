import { expect, it } from "vitest";
import { readFrontMatter, readYaml, writeFrontMatter } from "../../clients/cli/src/front-matter";

it.each([
  ["a usual file", "---\nname: Welcome\n---\n\n<p>Hi</p>\n", { fields: { name: "Welcome" }, body: "<p>Hi</p>\n" }],
  ["lines that end as on Windows", "---\r\nname: A\r\n---\r\nB\r\n", { fields: { name: "A" }, body: "B\n" }],
  ["a byte order mark", "\uFEFF---\nname: A\n---\nB", { fields: { name: "A" }, body: "B" }],
  ["no fields at all", "---\n---\nB", { fields: {}, body: "B" }],
  ["dashes in the body", "---\nname: A\n---\n\nB\n---\nC\n", { fields: { name: "A" }, body: "B\n---\nC\n" }],
])("reads %s", (_, text, expected) => {
  expect(readFrontMatter(text, "a.md")).toEqual(expected);
});

it.each([
  ["no front matter", "<p>Hi</p>", "a.md:1: begins with no front matter"],
  ["a quote that does not end", '---\nname: A\nsubject: "half\n---\nB', "a.md:"],
  ["a list in place of fields", "---\n- a\n---\nB", "a.md:2: needs fields"],
])("refuses %s", (_, text, message) => {
  expect(() => readFrontMatter(text, "a.md")).toThrow(message);
});

it("names the line of the file, not that of the fields", () => {
  expect(() => readFrontMatter("---\nname: A\nname: B\n---\n", "a.md")).toThrow("a.md:3: Map keys must be unique");
  expect(() => readYaml("name: A\nname: B\n", "a.yaml")).toThrow("a.yaml:2: Map keys must be unique");
});

it("writes what it reads", () => {
  const file = {
    fields: { name: "Hi: there", subject: 'a "b" {{ c }}', previewText: "x ".repeat(100).trim() },
    body: "\n# A\n",
  };
  expect(readFrontMatter(writeFrontMatter(file), "a.md").fields).toEqual(file.fields);
});
