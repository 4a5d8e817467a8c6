import { expect, it } from "vitest";
import { loopsBraces, resendBraces } from "../../clients/cli/src/moving/languages/braces";
import { goTemplates } from "../../clients/cli/src/moving/languages/go";
import { handlebars } from "../../clients/cli/src/moving/languages/handlebars";
import { convert, type Language } from "../../clients/cli/src/moving/languages/language";
import { customerLiquid, plunkLiquid } from "../../clients/cli/src/moving/languages/liquid";
import { mergeTags } from "../../clients/cli/src/moving/languages/merge-tags";

const mailchimp = mergeTags(new Map([["PLAN", "plan"]]));

function converted(language: Language, text: string) {
  const { text: liquid, faults } = convert(language, text, { name: "", subject: "", body: "" });
  return faults.length > 0 ? faults.map(({ line, tag }) => `${line}: ${tag}`) : liquid;
}

it.each<[Language, string, string]>([
  [
    mailchimp,
    "*|FNAME|* *|EMAIL|* *|UNSUB|* *|UPDATE_PROFILE|*",
    "{{ firstName }} {{ email }} {{ unsubscribeUrl }} {{ manageUrl }}",
  ],
  [mailchimp, "*|TITLE:FNAME|*", "{{ firstName | capitalize }}"],
  [mailchimp, "*|IF:PLAN>3|*a*|ELSEIF:PLAN|*b*|END:IF|*", "{% if plan > 3 %}a{% elsif plan %}b{% endif %}"],
  [mailchimp, "*|IFNOT:PLAN|*a*|END:IF|*", "{% unless plan %}a{% endunless %}"],
  [handlebars, "{{#if a}}1{{else if b.c}}2{{else}}3{{/if}}", "{% if a %}1{% elsif b.c %}2{% else %}3{% endif %}"],
  [
    handlebars,
    "{{#equals a 'x'}}1{{/equals}}{{#unless b}}2{{/unless}}",
    "{% if a == 'x' %}1{% endif %}{% unless b %}2{% endunless %}",
  ],
  [
    handlebars,
    "{{#each a}}{{#each this.b}}{{this}}{{@index}}{{@root.c}}{{/each}}{{/each}}",
    "{% for item in a %}{% for item2 in item.b %}{{ item2 }}{{ forloop.index0 }}{{ c }}{% endfor %}{% endfor %}",
  ],
  [
    handlebars,
    "{{!-- a --}}{{{raw}}} {{length a}} <%asm_group_unsubscribe_raw_url%> {{unsubscribe}}",
    "{{ raw | raw }} {{ a | size }} {{ unsubscribeUrl }} {{ unsubscribeUrl }}",
  ],
  [
    resendBraces,
    '{{{contact.first_name|you "there"}}} {{{RESEND_UNSUBSCRIBE_URL}}}',
    "{{ firstName ?? 'you \"there\"' }} {{ unsubscribeUrl }}",
  ],
  [
    loopsBraces,
    "{firstName|you} {unsubscribe_link} a{b} {{c}} p{color:red}",
    '{{ firstName ?? "you" }} {{ unsubscribeUrl }} a{b} {{c}} p{color:red}',
  ],
  [
    customerLiquid,
    "{{ customer.name | default: 'customer.name' }}{% manage_subscription_preferences_url %}",
    "{{ name | default: 'customer.name' }}{{ manageUrl }}",
  ],
  [plunkLiquid, "{%- if a -%}{{ b | upcase }}{% endif %}", "{%- if a -%}{{ b | upcase }}{% endif %}"],
  [
    goTemplates,
    '{{- if ne .Subscriber.Attribs.a "x" }}1{{ else if .Subscriber.FirstName }}2{{ end -}}',
    '{% if a != "x" %}1{% elsif name %}2{% endif %}',
  ],
  [
    goTemplates,
    "{{ range .Tx.Data.items }}{{ . }}{{ end }}{{/* a */}}",
    "{% for item in items %}{{ item }}{% endfor %}",
  ],
  [
    goTemplates,
    '<a href="https://a.test/@TrackLink">{{ TrackLink "https://b.test" . }}</a>{{ UnsubscribeURL }}',
    '<a href="https://a.test/">https://b.test</a>{{ unsubscribeUrl }}',
  ],
])("%# converts %s", (language, text, liquid) => {
  expect(converted(language, text)).toBe(liquid);
});

it.each<[Language, string, string[]]>([
  [mailchimp, "a\n*|WEIRD|*\n*|LIST:COMPANY|*", ["2: *|WEIRD|*", "3: *|LIST:COMPANY|*"]],
  [mailchimp, "*|END:IF|*", ["1: *|END:IF|*"]],
  [mailchimp, "*|IF:PLAN|*\na", ["2: the end"]],
  [handlebars, "{{formatDate at 'YYYY'}}\n{{#custom a}}", ["1: {{formatDate at 'YYYY'}}", "2: {{#custom a}}"]],
  [handlebars, "{{this}} {{else}} {{../a}}", ["1: {{this}}", "1: {{else}}", "1: {{../a}}"]],
  [resendBraces, "{{name}}\n{{{#if a}}}", ["1: {{name}}", "2: {{{#if a}}}"]],
  [
    customerLiquid,
    "{% view_in_browser_url %}{{ a | add_day: 1 }}{{ content }}",
    ["1: {% view_in_browser_url %}", "1: {{ a | add_day: 1 }}", "1: {{ content }}"],
  ],
  [
    goTemplates,
    '{{ template "content" . }}{{ .Campaign.Subject }}{{ L.T "a" }}',
    ['1: {{ template "content" . }}', "1: {{ .Campaign.Subject }}", '1: {{ L.T "a" }}'],
  ],
])("%# names what it cannot convert, and its line: %s", (language, text, faults) => {
  expect(converted(language, text)).toEqual(faults);
});
