import { describe, expect, it } from "vitest";
import { isAutomated, isAutomatedAgent } from "../../../src/core/tracking/automated";

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

describe("a program that says it is one", () => {
  it.each([
    "Mozilla/5.0",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
    "SeznamEmailProxy/3.0.15",
    "Barracuda Sentinel (EE)",
    "Mimecast",
    "Mozilla/5.0 (compatible; Proofpoint URL Defense)",
    "CiscoSecureEmail",
    "Microsoft Office Existence Discovery",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36",
  ])("%s", (agent) => expect(isAutomatedAgent(agent)).toBe(true));
});

describe("everybody else is a person", () => {
  it.each([
    chrome,
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.3.1",
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)",
    "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)",
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0",
    "Outlook-Android/2.0",
    "Airmail/1.0",
    "curl/8.1.0",
    "node",
    "",
    null,
  ])("%s", (agent) => expect(isAutomatedAgent(agent)).toBe(false));
});

it.each([
  ["a HEAD", { method: "HEAD" }, true],
  ["a prefetch", { purposes: [null, "prefetch"] }, true],
  ["a prerender", { purposes: ["prefetch;prerender"] }, true],
  ["a preview of Safari", { purposes: [undefined, "preview"] }, true],
  ["a visit", { purposes: [null, undefined, "visit"] }, false],
])("%s", (_, call, expected) => {
  expect(isAutomated({ method: "GET", userAgent: chrome, purposes: [], ...call })).toBe(expected);
});
