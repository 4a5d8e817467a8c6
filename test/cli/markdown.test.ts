import { expect, it } from "vitest";
import { htmlOf } from "../../clients/cli/src/markdown";

it.each([
  ["a value with quotes", 'Hi {{ name ?? "you" }}', '<p>Hi {{ name ?? "you" }}</p>\n'],
  ["a value with stars and underscores", "{{ a_b_c | times: 2 }} *so*", "<p>{{ a_b_c | times: 2 }} <em>so</em></p>\n"],
  ["an address", "[Leave]({{ unsubscribeUrl }})", '<p><a href="{{ unsubscribeUrl }}">Leave</a></p>\n'],
  ["a tag alone", "{% if a > 1 %}\n\nHi\n\n{% endif %}", "{% if a > 1 %}\n<p>Hi</p>\n{% endif %}\n"],
  ["a tag in a sentence", "Hi {% if a < b %}Ada{% endif %}", "<p>Hi {% if a < b %}Ada{% endif %}</p>\n"],
  ["a value alone", "{{ body }}", "<p>{{ body }}</p>\n"],
  ["the word that stands for a tag", "liquidtag0z {{ a }}", "<p>liquidtag0z {{ a }}</p>\n"],
  ["HTML", '<div class="a">{{ b }}</div>', '<div class="a">{{ b }}</div>'],
])("leaves Liquid as it is: %s", (_, source, html) => {
  expect(htmlOf(source)).toBe(html);
});
