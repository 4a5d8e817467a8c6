import { describe, expect, it } from "vitest";
import { judgeUrl } from "../../../src/core/outbound/url";

const rules = {
  ownHosts: new Set(["mail.acme.com", "petrel.workers.dev"]),
  allowedLoopback: new Set(["localhost:3000", "127.0.0.1:3000", "[::1]:3000"]),
};
const judge = (url: string) => judgeUrl(url, rules);

const refused: Record<string, string[]> = {
  "another scheme": [
    ...["ftp://example.com", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,hi", "gopher://example.com"],
    ...[
      "ws://example.com",
      "wss://example.com",
      "blob:https://example.com/1",
      "about:blank",
      "//example.com",
      "example.com",
      "",
    ],
    ...["http:example.com", "https:/example.com", "http:///example.com/"],
  ],
  "no host": ["http://", "https://", "http:///", "http://?a", "http://:80"],
  "a user name": [
    ...["http://user@example.com", "http://user:pass@example.com", "http://@example.com", "http://:@example.com"],
    ...["http://example.com@127.0.0.1", "http://127.0.0.1@example.com", "http://example.com:80@evil.com"],
    ...["http://a%40b@example.com", "http://example.com%2f@127.0.0.1/"],
  ],
  "what the parser repairs": [
    ...[
      "http://exam\nple.com",
      "http://example.com\r\nHost: a",
      "http://example.com\t",
      " http://example.com",
      "http://a b.com",
    ],
    ...[
      "http:\\\\example.com",
      "http://example.com\\@127.0.0.1",
      "http://example.com/\u0000",
      "http://exa\u00a0mple.com",
    ],
    ...["http://example.com/\u2028"],
  ],
  "a loopback address": [
    "http://127.0.0.1",
    "https://127.0.0.1:8080/x",
    "http://127.0.0.2",
    "http://[::1]",
    "http://[::1]:80",
  ],
  "an address in another spelling": [
    ...[
      "http://2130706433",
      "http://017700000001",
      "http://0x7f000001",
      "http://0x7f.1",
      "http://127.1",
      "http://127.0.1",
    ],
    ...["http://0177.0.0.1", "http://0x7F.0x0.0x0.0x1", "http://127.0.0.1.", "http://0", "http://1", "http://0.0.0.0"],
    ...["http://3232235521", "http://0xc0.0xa8.0.1", "http://192.168.257", "http://10.1", "http://2852039166"],
    ...[
      "http://0xa9fea9fe",
      "http://0251.0376.0251.0376",
      "http://169.254.43518",
      "http://127。0。0。1",
      "http://127．0．0．1",
    ],
    ...[
      "http://１２７.0.0.1",
      "http://①②⑦.0.0.1",
      "http://127｡0｡0｡1",
      "http://%31%32%37.0.0.1",
      "http://00000177.0.0.1",
    ],
  ],
  "an address of a private or special range": [
    ...["http://10.0.0.1", "http://172.16.0.1", "http://192.168.1.1", "http://169.254.169.254/latest/meta-data"],
    ...["http://100.64.0.1", "http://198.18.0.1", "http://192.0.2.1", "http://224.0.0.1", "http://255.255.255.255"],
    ...[
      "http://[::]",
      "http://[::ffff:127.0.0.1]",
      "http://[::ffff:7f00:1]",
      "http://[::127.0.0.1]",
      "http://[2002:7f00:1::]",
    ],
    ...["http://[64:ff9b::7f00:1]", "http://[2001::1]", "http://[fd00::1]", "http://[fe80::1]", "http://[ff02::1]"],
    ...["http://[2001:db8::1]", "http://[0:0:0:0:0:0:0:1]", "http://[0000:0000:0000:0000:0000:ffff:0a00:0001]"],
  ],
  "a zone": ["http://[fe80::1%25eth0]", "http://[fe80::1%eth0]", "http://[::1%250]"],
  "a broken host": [
    "http://[::1",
    "http://256.1.1.1",
    "http://1.2.3.4.5",
    "http://a..b.com",
    "http://.com",
    "http://ex%00ample.com",
  ],
  "a name of a private network": [
    ...[
      "http://localhost",
      "http://LOCALHOST",
      "http://localhost.",
      "http://api.localhost",
      "http://foo.localhost.:80",
    ],
    ...[
      "http://printer",
      "http://intranet/",
      "http://db.internal",
      "http://metadata.google.internal",
      "http://nas.local",
    ],
    ...["http://router.lan", "http://x.home.arpa", "http://1.0.0.127.in-addr.arpa", "http://x.onion", "http://com."],
    ...["http://ｌｏｃａｌｈｏｓｔ", "http://localhost.localdomain", "http://host.corp", "http://x.invalid"],
  ],
  ourselves: [
    ...[
      "https://mail.acme.com",
      "https://MAIL.ACME.COM/hooks/ses",
      "https://mail.acme.com.",
      "https://mail.acme.com:8443/",
    ],
    ...["http://petrel.workers.dev", "http://mail。acme。com", "https://mail.ａcme.com"],
  ],
  "a loopback that is not on the list": [
    "http://localhost:3001",
    "http://127.0.0.1",
    "http://[::1]:3001",
    "http://127.0.0.2:3000",
  ],
  "a very long one": [`https://example.com/${"a".repeat(2_000)}`],
  "a bad port": ["http://example.com:65536", "http://example.com:-1", "http://example.com:a"],
};

const good: [written: string, called: string][] = [
  ["https://example.com", "https://example.com/"],
  ["http://example.com/hooks?a=b&c=%0d%0a", "http://example.com/hooks?a=b&c=%0d%0a"],
  ["HTTPS://Example.COM:8443/x", "https://example.com:8443/x"],
  ["https://example.com./x", "https://example.com/x"],
  ["https://example.com/x#frag", "https://example.com/x"],
  ["https://example.com/a@b", "https://example.com/a@b"],
  ["https://example.com?x=a@b", "https://example.com/?x=a@b"],
  ["https://münchen.example", "https://xn--mnchen-3ya.example/"],
  ["https://hooks。example。com/", "https://hooks.example.com/"],
  ["http://1.1.1.1/x", "http://1.1.1.1/x"],
  ["http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"],
  ["https://notmail.acme.com", "https://notmail.acme.com/"],
  ["https://mail.acme.com.evil.com", "https://mail.acme.com.evil.com/"],
  ["https://localhost.example.com", "https://localhost.example.com/"],
  ["http://localhost:3000/x", "http://localhost:3000/x"],
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000/"],
  ["http://[::1]:3000", "http://[::1]:3000/"],
];

describe("a URL that is refused", () => {
  it.each(Object.entries(refused).flatMap(([why, urls]) => urls.map((url) => [why, url])))("%s: %j", (_, url) => {
    const judged = judge(url ?? "");
    expect(judged).toEqual({ kind: "refused", reason: expect.stringMatching(/^The URL .+\.$/) });
  });
});

describe("a URL that is called", () => {
  it.each(good)("%s as %s", (written, called) => {
    const judged = judge(written);
    expect(judged.kind === "good" && judged.url.href).toBe(called);
  });

  it("has a name to resolve, unless it is an address or on the list", () => {
    const names = ["https://Example.com./", "http://1.1.1.1", "http://localhost:3000"].map((url) => {
      const judged = judge(url);
      return judged.kind === "good" ? judged.name : "refused";
    });
    expect(names).toEqual(["example.com", null, null]);
  });
});
