import { describe, expect, it } from "vitest";
import { chooseLanguage } from "../../../src/core/languages/language";
import { kindOf } from "../../../src/core/mail/document";
import { textVersion } from "../../../src/core/mail/text-version";
import { withUnsubscribeLine, withUnsubscribing } from "../../../src/core/mail/unsubscribing";

const { footer: words } = chooseLanguage([]).words;
const footer = { words, imprint: { company: null, postalAddress: null } };

const links = {
  unsubscribeUrl: "https://p.example/unsubscribe/u",
  subscribeUrl: "https://p.example/subscribe/s",
  manageUrl: "https://p.example/manage/m",
};

function dressed(html: string, headers: Record<string, string> = {}) {
  const rendered = bodyOf(html);
  const said = { headers, links, list, footer, kind: kindOf(rendered) };
  const { body, ...rest } = withUnsubscribing({ type: "MARKETING", body: rendered, ...said });
  return { ...rest, html: body.output };
}

function bodyOf(output: string) {
  return { output, frame: null, values: [] };
}

const list = { feedbackId: "a:b:c:d", listId: "News <l.acme.test>" };

const hasFooter = (html: string) => dressed(html).html.includes("You get this email because");

describe("the footer", () => {
  it.each([
    ['<a href="https://p.example/unsubscribe/u">x</a>', false],
    ["<a class='b' href='https://p.example/manage/m'>x</a>", false],
    ["<A\n  HREF = https://p.example/manage/m >x</A>", false],
    ["<p>https://p.example/unsubscribe/u</p>", true],
    ['<abbr href="https://p.example/unsubscribe/u">x</abbr>', true],
    ['<a data-href="https://p.example/unsubscribe/u">x</a>', true],
    ['<!-- <a href="https://p.example/unsubscribe/u">x</a> -->', true],
    ['<!-- <a href="https://p.example/unsubscribe/u">x</a>', true],
    ['<!-- x --><a href="https://p.example/unsubscribe/u">x</a>', false],
    ['<a href="https://evil.example/?https://p.example/unsubscribe/u">x</a>', true],
  ])("under %j: %s", (html, expected) => {
    expect(hasFooter(html)).toBe(expected);
  });

  it.each([
    ["<body>x</body>", 7],
    ["<body>x</BODY ></html>", 7],
    ["x</html>", 1],
    ["x<!-- </body> -->", 17],
    ["</body>x</body>", 8],
    ["", 0],
  ])("stands in %j at %i", (html, at) => {
    expect(dressed(html).html.indexOf("<div ")).toBe(at);
  });

  it("takes no time over what is made to be slow", () => {
    const started = performance.now();
    for (const piece of ["<!--", "<a ", "<a href=", "</body ", links.unsubscribeUrl, "<", "-->"]) {
      dressed(piece.repeat(Math.floor(2_000_000 / piece.length)));
    }
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe("the headers", () => {
  it.each<[Record<string, string>, string[]]>([
    [{}, ["List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "Precedence", "Feedback-ID"]],
    [{ "List-Unsubscribe": "<x>" }, ["List-Id", "Precedence", "Feedback-ID", "List-Unsubscribe"]],
    [{ "LIST-UNSUBSCRIBE": "<x>" }, ["List-Id", "Precedence", "Feedback-ID", "LIST-UNSUBSCRIBE"]],
    [{ precedence: "list" }, ["List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "Feedback-ID", "precedence"]],
    [{ "feedback-id": "x" }, ["List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "Precedence", "feedback-id"]],
    [{ "list-id": "<x.y>" }, ["List-Unsubscribe", "List-Unsubscribe-Post", "Precedence", "Feedback-ID", "list-id"]],
  ])("beside %j", (given, names) => {
    const { headers } = dressed("x", given);
    expect(Object.keys(headers)).toEqual(names);
    expect(headers).toMatchObject(given);
  });
});

describe("a mail that is of no list", () => {
  const single = (type: "TRANSACTIONAL" | "HEADLESS", headers: Record<string, string> = {}, html = "x") =>
    withUnsubscribing({ type, body: bodyOf(html), kind: "plain", headers, links, list, footer }).headers;

  it("says that a program wrote it, so that no program answers", () => {
    expect(single("TRANSACTIONAL")).toEqual({ "Auto-Submitted": "auto-generated" });
    expect(single("HEADLESS")).toEqual({ "Auto-Submitted": "auto-generated" });
  });

  it("says otherwise if the caller does", () => {
    expect(single("TRANSACTIONAL", { "auto-submitted": "no" })).toEqual({ "auto-submitted": "no" });
  });

  it("is of a list if its body links to the pages", () => {
    const html = `<a href="${links.manageUrl}">x</a>`;
    expect(Object.keys(single("HEADLESS", {}, html))).toEqual(Object.keys(dressed("x").headers));
  });
});

describe("the sender", () => {
  const imprint = { company: "Ship & <Co>", postalAddress: "1 Main St\n  10115  Berlin\n" };
  const body = (html: string, values: string[] = []) =>
    withUnsubscribing({
      ...{
        type: "MARKETING" as const,
        body: { output: html, frame: html, values },
        kind: "plain" as const,
        headers: {},
        links,
        list,
      },
      footer: { words, imprint },
    }).body;

  it("stands in the footer, line by line, as text", () => {
    expect(body("<p>Hi</p>").output).toMatch(
      /preferences<\/a>\.<br><br>Ship &amp; &lt;Co&gt;<br>1 Main St<br>10115 Berlin<\/div>$/,
    );
    expect(textVersion(body("<p>Hi</p>"))).toMatch(/\.\n\nShip & <Co>\n1 Main St\n10115 Berlin$/);
  });

  it("is no part of a frame that other projects share", () => {
    expect(body("<p>Hi</p>").frame).not.toContain("Berlin");
    const others = { company: "Other", postalAddress: "2 Side St\n1000 Brussels" };
    const { output } = withUnsubscribing({
      ...{
        type: "MARKETING" as const,
        body: { output: "<p>Hi</p>", frame: "<p>Hi</p>", values: [] },
        kind: "plain" as const,
        headers: {},
      },
      ...{ links, list, footer: { words, imprint: others } },
    }).body;
    expect(output).toMatch(/<br>Other<br>2 Side St<br>1000 Brussels<\/div>$/);
  });

  it("never stands for what a mark stands for", () => {
    const marked = { company: "\ue000\ue001", postalAddress: null };
    const { output, frame } = withUnsubscribing({
      ...{
        type: "MARKETING" as const,
        body: { output: "<p>Ada</p>", frame: "<p>\ue000\ue001</p>", values: ["Ada"] },
        kind: "plain" as const,
      },
      ...{ headers: {}, links, list, footer: { words, imprint: marked } },
    }).body;
    expect([output.endsWith("\ue000\ue001</div>"), frame]).toEqual([true, null]);
  });

  it("stands in a text part that the HTML could not be read for", () => {
    const line = `Unsubscribe: ${links.unsubscribeUrl}`;
    expect(withUnsubscribeLine("MARKETING", "Hi", links, { words, imprint })).toBe(
      `Hi\n\n${line}\n\nShip & <Co>\n1 Main St\n10115 Berlin`,
    );
  });
});

describe("the text part", () => {
  it("names the page when it does not", () => {
    expect(withUnsubscribeLine("MARKETING", "Hi", links, footer)).toBe(`Hi\n\nUnsubscribe: ${links.unsubscribeUrl}`);
    const said = `Hi (${links.manageUrl})`;
    expect(withUnsubscribeLine("MARKETING", said, links, footer)).toBe(said);
    for (const type of ["HEADLESS", "TRANSACTIONAL"] as const)
      expect(withUnsubscribeLine(type, "Hi", links, footer)).toBe("Hi");
  });
});
