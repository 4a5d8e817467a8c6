import { describe, expect, it } from "vitest";
import { writtenLinks } from "../../../src/core/tracking/written-links";

const urlsOf = (body: string) => writtenLinks(body).urls;

describe("the links of a content", () => {
  it.each<[body: string, urls: string[]]>([
    ['<a href="https://x.test/a?b=1&amp;c=2">x</a>', ["https://x.test/a?b=1&c=2"]],
    ['<a href="https://x.test/{{ id }}">x</a><a href="https://x.test/{{ id }}">y</a>', ["https://x.test/{{ id }}"]],
    [`<a href="{{ url | default: "https://x.test/>" }}">x</a>`, ['{{ url | default: "https://x.test/>" }}']],
    ["{% if a < b %}<a href=https://x.test>x</a>{% endif %}", ["https://x.test"]],
    ['{% comment %}<a href="https://x.test">{% endcomment %}', []],
    ['<a href="mailto:a@b.test">x</a><a href="#top">y</a><a href="/sale">z</a>', []],
    ['<a href="{{ unsubscribeUrl }}">x</a><a href="{{manageUrl}}">y</a>', []],
    ['<a data-no-track href="https://x.test">x</a>', []],
    ["{{ {{ {{", []],
  ])("%s", (body, urls) => expect(urlsOf(body)).toEqual(urls));
});

describe("the number of a URL", () => {
  const body = `<a href="https://x.test/{{ a }}/end">1</a><a href="https://x.test/vip/{{ a }}/end">2</a>
    <a href="https://x.test/plain">3</a><a href="{% if b %}https://b.test{% else %}https://c.test{% endif %}?q">4</a>`;

  it.each([
    ["https://x.test/ada/end", 1],
    ["https://x.test/vip/ada/end", 2],
    ["https://x.test/plain", 3],
    ["https://b.test?q", 4],
    ["https://elsewhere.test", 0],
    ["https://x.test/end", 0],
  ])("%s is %d", (url, number) => expect(writtenLinks(body).numberOf(url)).toBe(number));
});

it("takes no longer than the body is long", () => {
  const at = performance.now();
  for (const part of ["{{", "{%", "{{ a }}", '<a href="{{ a }}">', "{% comment %}"]) urlsOf(part.repeat(20_000));
  expect(performance.now() - at).toBeLessThan(2_000);
});
