import { test } from "vitest";
import { parseTemplate, renderTemplate } from "/work/main/src/core/templating/render";
import { templateVariables } from "/work/main/src/core/templating/variables";

const v = templateVariables({
  contact: {
    id: "c1",
    email: "a@b.c",
    subscribed: true,
    data: {
      firstName: "Ann",
      "first name": "Ann B",
      empty: "",
      zero: 0,
      no: false,
      nothing: null,
      profile: { tier: "gold", "deep name": "dn" },
      "profile.level": "lit",
      items: [
        { name: "x", price: 1 },
        { name: "<y>", price: 2 },
      ],
      tags: ["red", "blue"],
      Größe: "M",
      html: "<b>&\"'",
      multi: "a\r\nBcc: x",
    },
  },
});
test("x", () => {
  for (const s of [
    `{{ firstName ?? "there" }}`,
    `{{firstname??"there"}}`,
    `{{a??b??"c"}}`,
    `{{a ?? empty ?? "c" | upcase}}`,
    `{{zero ?? 1}} {{no ?? 1}} {{nothing ?? 1}}`,
    `{{first name}}`,
    `{{ first  name | upcase }}`,
    `{{data["first name"]}}`,
    `{{data.first name}}`,
    `{{- first name -}}`,
    `{{profile.tier}} {{profile.level}} {{data.profile.level}} {{data.profile.tier}} {{profile.deep name}}`,
    `{{ "a ?? b }} c" }}`,
    `{% raw %}{{ a ?? b }}{% endraw %}`,
    `{% comment %}{{ a ?? | x }}{% endcomment %}ok`,
    `{% if a ?? no == false %}1{% else %}2{% endif %}`,
    `{% if plan ?? "free" == "free" %}free{% endif %}`,
    `{% assign x = a ?? "b" %}{{x}}`,
    `{% for i in items ?? tags %}{{i.name}},{% endfor %}`,
    `{{ "x" | append: a ?? "y" }}`,
    `{% if first name == "Ann B" %}yes{% endif %}`,
    `{% for p in profile %}{{p[0]}}={{p[1]}};{% endfor %}`,
    `{{html}} {{html|raw}} {{html|escape}}`,
    `{{profile}} {{tags}} {{data.tags | join: ", "}}`,
    `{{constructor}}{{__proto__}}{{data.constructor.name}}{{toString}}{{data.__proto__.x}}|`,
    `{{items.size}} {{items[0].name}} {{items.first.name}} {{items.last.name}}`,
    `{{ (1..3) | join: "-" }} {% for i in (1..2) %}{{i}}{{forloop.last}}{% endfor %}`,
    `{{Größe}}`,
    `{{ "2024-03-05T10:00:00Z" | date: "%d %B %Y %H:%M" }}`,
    `{{ forloop }}`,
    `{% capture x %}<b>{{html}}</b>{% endcapture %}{{x|raw}}`,
    `{% liquid
  assign q = a ?? "z"
  echo q
%}`,
    `{% case firstName %}{% when "Ann", "Bob" %}A{% when gold member ?? "x" %}B{% else %}C{% endcase %}`,
    `{% cycle "a", a ?? "b" %}`,
    `{%- if true -%} x {%- endif -%}`,
    `{% # a
b %}c`,
    `{{ first and last }}`,
    `{{ empty cart }}`,
    `{{ items | where: "name", "x" | map: "price" }}`,
    `{{ items | where_exp: "i", "i.price > 1" | map: "name" }}`,
    `{% raw %}x{%- endraw %}y`,
    `{% increment n %}{% increment n %}`,
    `{{multi}}`,
    `{% tablerow i in tags cols:1 %}{{i}}{% endtablerow %}`,
    `{{ data }}`.slice(0, 0),
    `{{ "a" | sha256 }}`,
    `{{ x | nope }}`,
    `ab
 {{ first name ?? "x" }} {{ (a | nope) }}`,
    `{% if x %}`,
    `a\n{{ a ?? b | up case }}`,
    `{% include "x" %}`,
    `{{ a ?? }}`,
    `{{ ?? a }}`,
    `{{`,
    `{{ "x }}`,
    `{% for %}`,
    `{{ (9007199254740992..9007199254740996) }}`,
    `{{ "%" | url_decode }}`,
    `{{}}`,
    `\n\n{{ first name | foo }}`,
  ]) {
    let out;
    try {
      out = renderTemplate(parseTemplate(s, "html"), v);
    } catch (e) {
      out = (e as Error).name + ": " + (e as Error).message;
    }
    console.log(JSON.stringify(s), "=>", JSON.stringify(out));
  }
  console.log(JSON.stringify(renderTemplate(parseTemplate("Hi\n{{multi}} & <b> {{html}}", "text"), v)));
});
