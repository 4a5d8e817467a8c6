import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { chooseLanguage } from "../../../src/core/languages/language";
import { inDocument, kindOf } from "../../../src/core/mail/document";
import { plainText } from "../../../src/core/mail/plain-text";
import { renderMail } from "../../../src/core/mail/render-mail";
import { textVersion } from "../../../src/core/mail/text-version";
import { withUnsubscribeLine, withUnsubscribing } from "../../../src/core/mail/unsubscribing";
import { FrameBuilder } from "../../../src/core/templating/frame";
import { parseTemplate, renderFramed, renderTemplate } from "../../../src/core/templating/render";
import { withTracking } from "../../../src/core/tracking/track-links";
import { openTracker } from "../../../src/core/tracking/tracker";

const language = chooseLanguage([]);
const imprint = { company: "Ship & Co", postalAddress: "1 Main St\n10115 Berlin" };
const footer = { words: language.words.footer, imprint };

const links = {
  unsubscribeUrl: "https://p.example/unsubscribe/u_-1",
  subscribeUrl: "https://p.example/subscribe/s",
  manageUrl: "https://p.example/manage/m",
};

const secret = "a-secret-of-more-than-32-characters-here";
const tracker = openTracker(secret, "https://p.example", { projectId: 7, emailId: newId() });

/** Without tracking, and with it. */
function expectSameText(body: string, values: Record<string, unknown>, type: "TRANSACTIONAL" | "MARKETING") {
  const variables = { ...links, ...values };
  const given = { type, subject: "", body, variables, links, headers: {}, list: { feedbackId: "", listId: "" } };
  const mail = renderMail({ ...given, language, imprint });
  // The footer of the frame is that of the HTML.
  const rendered = { output: renderTemplate(parseTemplate(body, "html"), variables), frame: null, values: [] };
  const kind = kindOf(renderFramed(parseTemplate(body, "html"), variables));
  const whole = withUnsubscribing({ ...given, kind, footer, body: rendered }).body;
  expect(mail.html).toBe(inDocument(whole.output, kind, "en"));
  expect(mail.text).toBe(withUnsubscribeLine(type, plainText(whole.output), links, footer));
  const tracked = renderMail({ ...given, language, imprint, tracker });
  // The frame leads to the very HTML that the HTML itself leads to.
  const { output } = withTracking({ ...whole, frame: null }, tracker);
  expect(tracked.html).toBe(inDocument(output, kind, "en"));
  expect(tracked.text).toBe(withUnsubscribeLine(type, plainText(output), links, footer));
}

/** Where a value can stand, and what it can do to what is around it there. */
const places = [
  "<p>Hello {{ a }}, and {{ b }}.</p>",
  "<p>{{ a }}{{ b }}</p><p>{{ a }} {{ b }}</p>",
  "<p>{{a}}</p>{{b}}<div>{{c}}</div>",
  "<p> {{ a }} <b>{{ b }}</b>{{ c }}</p>",
  '<a href="{{ a }}">{{ b }}</a>',
  '<a href="https://x.test/{{ a }}?b={{ b }}">https://x.test/</a><a href="https://{{ c }}">{{ c }}</a>',
  "<A HREF=https://x.test/1>{{ a }}</A><a href='https://x.test/&amp;{{ b }}' data-no-track>x</a><a href=\"{{ a }}{{ b }}\">y</a>",
  '<a href="{{ unsubscribeUrl }}?x={{ a }}">{{ b }}</a><a title="{{ a }}" href="https://x.test">{{ b }}</a>',
  '<map><area href="https://x.test/{{ a }}"></map><style>a{b:{{ c }}}</style><a href="http://x.test/{{ b }}" ',
  '<a href="{{ a }}">{{ a }}</a>',
  '<a href="{{ a }}"></a>',
  "<a href='https://x.test/?n={{ a }}&m={{ b }}'>x <i>{{ c }}</i></a>",
  '<a href="mailto:{{ a }}">{{ a }}</a>',
  '<a href="#{{ a }}">{{ b }}</a>',
  "<a href={{ a }}>{{ b }}</a>",
  '<a href="x">{{ a }}</a><a href="xy">x{{ b }}</a>',
  '<a href="{{ a }}"><img src="y" alt="{{ b }}"></a>',
  '<a href="{{ a }}"><a href="{{ b }}">{{ c }}</a></a>',
  '<img alt="{{ a }}"><img alt={{ b }}><img alt>',
  "<p {{ a }}>x</p><{{ b }}>y</{{ b }}>",
  "<b{{ a }}>x</b>",
  '<p style="color:{{ a }}" class={{ b }}>x</p>',
  "<p>a &{{ a }}; b &am{{ b }} &#{{ c }}; &amp;{{ a }} &copy{{ b }}</p>",
  "<p>a <{{ a }} b </{{ b }} c <!{{ c }} d < {{ a }} e > {{ b }}</p>",
  "<!-- {{ a }} --><p>x</p><!--{{ b }}>y",
  '<a title="<!--">--{{ a }}></a> z -->',
  "<title>{{ a }}</title><style>p{color:{{ b }}}</style><script>{{ c }}</script>{{ a }}",
  "<style></sty{{ a }}>x</style>",
  "<style><!-- p > b{} --></style>{{ a }}",
  "<textarea>{{ a }}</textarea><xmp>{{ b }}</xmp><noscript>{{ c }}</noscript>",
  "<iframe>{{ a }}</iframe><svg><text>{{ b }}</text></svg><plaintext>{{ c }}",
  "<pre>  {{ a }}\n{{ b }}  </pre>",
  "<ul><li>{{ a }}</li>{{ b }}<li>x</li></ul><ol><li>{{ c }}<ul><li>{{ a }}</li></ul></li></ol>",
  "<table><tr><td>{{ a }}</td><td>{{ b }}</td></tr>{{ c }}</table>",
  "<h1>{{ a }}</h1><blockquote>{{ b }}</blockquote><hr>{{ c }}<br>x",
  "<html><head><meta content='{{ a }}'>{{ b }}</head><body>{{ c }}</body></html>",
  "<!doctype html><!--[if mso]><b><![endif]-->{{ a }}<![endif]>{{ b }}",
  "<?x {{ a }}?><![CDATA[{{ b }}]]>{{ c }}",
  "{{ a | raw }}<p>{{ b }}</p>",
  "<p>{{ a | escape }} {{ b | upcase }} {{ c | downcase }} {{ a | newline_to_br | raw }}</p>",
  "{% if a %}<p>{{ a }}{% else %}<div>{{ b }}{% endif %}</p>",
  "<{% if a == 'x' %}b{% else %}i{% endif %}>{{ b }}</b>",
  "{% for x in list %}<li>{{ x }} {{ forloop.index }}</li>{% endfor %}",
  "<ul>{% for x in list %}<li>{% cycle 'a', '<b>' %}{{ x }}{% endfor %}</ul>",
  "<table>{% tablerow x in list cols: 2 %}{{ x }}{% endtablerow %}</table>",
  "{% capture d %}<i>{{ a }}</i>{% endcapture %}{{ d }}{{ d | raw }}",
  "{% raw %}<i>{{ a }}</i>{% endraw %}{% echo b %}{% increment n %}{%- assign z = a -%} {{ z }}",
  "x\ue000\ue001y {{ a }}",
  "<p>\u200b{{ a }}\u00a0{{ b }}\u200b</p>",
  "no value here &lt;b&gt;",
  '<p>{{ unsubscribeUrl }} <a href="{{ unsubscribeUrl }}">{{ a }}</a></p>',
  "</body>{{ a }}</body>x</html>",
];

const values: unknown[] = [
  ...[
    "x",
    "Ada Lovelace",
    "b",
    "p",
    "xy",
    "amp",
    "lt;",
    "lt",
    "60",
    "#60",
    "#x3c;",
    "y}",
    "-",
    "--",
    "le",
    "script",
    "body",
  ],
  ...[
    "",
    " ",
    " x",
    "x ",
    "a  b",
    "a\nb",
    "a\r\n\r\nb",
    "\t",
    "\u00a0",
    "\u200b",
    "a\u200bb",
    "\u2028",
    "\ufeff",
    "\u0000",
  ],
  ...[
    "<b>bold</b>",
    "<",
    ">",
    "</p><p>",
    "<!--",
    "-->",
    "</style>",
    "</title>",
    "</body>",
    "<a href=x>",
    "a<br>b",
    "]]>",
  ],
  ...["&", "&amp;", "&lt;b&gt;", "&copy", "&nbsp;", "a&b;", "'", '"', '" title="', "x=y", "/", "x/", "a=b c", "`"],
  ...["https://x.test/?a=1&b=2", "#", "#top", "mailto:a@b.test", "mailto:", "https://p.example/unsubscribe/u_-1"],
  ...["🐦", "Grüße", "שלום", "\ue000", "\ue000\ue001", "\ue001", "\ud800", "e\u0301"],
  ...[null, 0, 12.5, false, ["x", "<i>"], { k: "v" }],
];

describe("the text made from a frame is the text of the HTML", () => {
  it.each(places)("wherever a value stands: %s", (body) => {
    for (const value of values) {
      for (const type of ["TRANSACTIONAL", "MARKETING"] as const) {
        expectSameText(body, { a: value, b: "x", c: "Ada Lovelace", list: ["x", value, ""] }, type);
        expectSameText(body, { a: "x", b: value, c: value, list: [] }, type);
      }
    }
  });

  it("whatever stands beside what", () => {
    const value = fc.constantFrom(...values);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...places), { minLength: 1, maxLength: 4 }),
        fc.record({ a: value, b: value, c: value, list: fc.array(value, { maxLength: 3 }) }),
        fc.constantFrom("TRANSACTIONAL" as const, "MARKETING" as const),
        (parts, variables, type) => expectSameText(parts.join(""), variables, type),
      ),
      { numRuns: 500 },
    );
  });

  it("whatever the markup is cut into", () => {
    const scraps = [
      "<",
      ">",
      "</",
      "<!--",
      "-->",
      "<b",
      "<p>",
      "</p>",
      "<style",
      "</style>",
      "<a href=",
      '"',
      "'",
      "=",
      "/",
      " ",
      "\n",
      "&",
      "#",
      ";",
      "lt",
      "x",
      "-",
      "!",
      "{{ a }}",
      "{{ b }}",
      "{{ a | raw }}",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...scraps), { maxLength: 20 }),
        fc.constantFrom(...values),
        fc.constantFrom(...values),
        (parts, a, b) => expectSameText(parts.join(""), { a, b }, "MARKETING"),
      ),
      { numRuns: 1_000 },
    );
  });
});

it("is made without a look at the HTML where values are words, as in nearly all mail", () => {
  const framing = new FrameBuilder();
  framing.addSource('<!doctype html><style>p > b{}</style><!-- x --><p class="a" hidden>Hello ');
  framing.addValue("Ada &amp; Bob");
  framing.addSource(',<br/><a href="https://x.test/?n=');
  framing.addValue("12");
  framing.addSource('">read &nbsp;on</a></p>');
  const { frame, values } = framing;
  const text = textVersion({ output: "<p>not read</p>", frame, values });
  expect(text).toBe("Hello Ada & Bob,\nread \u00a0on (https://x.test/?n=12)");
});
