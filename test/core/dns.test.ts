import { describe, expect, it } from "vitest";
import { hostName, isNullMx, isResolverUrl, type RecordType, readDnsAnswer } from "../../src/core/dns";

const answer = (type: number, ...data: string[]) => ({
  Status: 0,
  Answer: data.map((value) => ({ name: "acme.com", type, TTL: 300, data: value })),
});

describe("readDnsAnswer", () => {
  it.each<[type: RecordType, number: number, data: string, value: string]>([
    ["A", 1, "192.0.2.1", "192.0.2.1"],
    ["AAAA", 28, "2001:DB8::1", "2001:db8::1"],
    ["NS", 2, "NS1.Acme.com.", "ns1.acme.com"],
    ["CNAME", 5, "target.acme.com.", "target.acme.com"],
    ["MX", 15, "10 Mail.Acme.com.", "10 mail.acme.com"],
    ["MX", 15, "0 .", "0 ."],
    ["TXT", 16, '"v=spf1 -all"', "v=spf1 -all"],
    ["TXT", 16, "v=spf1 -all", "v=spf1 -all"],
    ["TXT", 16, '"abc" "def"', "abcdef"],
    ["TXT", 16, '"abc""def"', "abcdef"],
    ["TXT", 16, '"say \\"hi\\" \\\\ \\059"', 'say "hi" \\ ;'],
    ["TXT", 16, '"caf\\195\\169"', "café"],
    ["TXT", 16, '"café"', "café"],
    ["TXT", 16, '""', ""],
    ["TXT", 16, 'half "quoted', 'half "quoted'],
  ])("%s: reads %s %j as %j", (type, number, data, value) => {
    expect(readDnsAnswer(answer(number, data), type)).toEqual({ found: [value], ttlSeconds: 300 });
  });

  it("keeps only records of the type that was asked for", () => {
    const body = {
      Status: 0,
      Answer: [
        { name: "www.acme.com", type: 5, TTL: 60, data: "acme.com." },
        { name: "acme.com", type: 1, TTL: 300, data: "192.0.2.1" },
      ],
    };
    expect(readDnsAnswer(body, "A")).toEqual({ found: ["192.0.2.1"], ttlSeconds: 300 });
    expect(readDnsAnswer(body, "MX")).toEqual({ found: [], ttlSeconds: 0 });
  });

  it("holds for the shortest of its records' lives", () => {
    const body = {
      Status: 0,
      Answer: [
        { type: 1, TTL: 300, data: "192.0.2.1" },
        { type: 1, TTL: 20, data: "192.0.2.2" },
      ],
    };
    expect(readDnsAnswer(body, "A")?.ttlSeconds).toBe(20);
  });

  it.each([
    ["the number of the zone", 900, 60, 60],
    ["the life of the record", 30, 3600, 30],
  ])("an absence holds for the smaller of the two: %s", (_, TTL, minimum, ttlSeconds) => {
    const data = `ns1.acme.com. host.acme.com. 1 2 3 4 ${minimum}`;
    const body = { Status: 0, Authority: [{ name: "acme.com", type: 6, TTL, data }] };
    expect(readDnsAnswer(body, "A")).toEqual({ found: [], ttlSeconds });
  });

  it.each<[string, object, string[] | string]>([
    ["no such record", { Status: 0 }, []],
    ["an empty answer", { Status: 0, Answer: [] }, []],
    ["no such name", { Status: 3 }, "no such name"],
    ["a CNAME that leads nowhere", { Status: 3, Answer: [{ type: 5, TTL: 60, data: "gone.acme.com." }] }, []],
    ["a zone whose servers fail", { Status: 2 }, "server failure"],
  ])("knows that there is nothing, and why: %s", (_, body, found) => {
    expect(readDnsAnswer(body, "NS")).toEqual({ found, ttlSeconds: 0 });
  });

  it.each([
    ["format error", { Status: 1 }],
    ["refused", { Status: 5, Answer: [{ type: 1, TTL: 1, data: "192.0.2.1" }] }],
    ["no status", { Answer: [] }],
    ["a text", "nope"],
    ["nothing", null],
    ["a list", []],
  ])("cannot tell: %s", (_, body) => {
    expect(readDnsAnswer(body, "A")).toBeNull();
  });
});

it.each([
  ["Mail.Acme.com.", "mail.acme.com"],
  ["mail.acme.com", "mail.acme.com"],
  [".", "."],
])("hostName(%j) is %j", (written, name) => expect(hostName(written)).toBe(name));

it.each<[string[], boolean]>([
  [["0 ."], true],
  [["10 ."], true],
  [["0 .", "10 mail.acme.com"], false],
  [["10 mail.acme.com"], false],
  [[], false],
])("isNullMx(%j) is %j", (exchanges, expected) => expect(isNullMx(exchanges)).toBe(expected));

it.each([
  ["https://cloudflare-dns.com/dns-query", true],
  ["https://10.0.0.1/resolve", true],
  ["http://127.0.0.1:8053/dns-query", true],
  ["http://127.9.9.9/", true],
  ["http://localhost:8053", true],
  ["http://dns.localhost/x", true],
  ["http://[::1]:8053/", true],
  ["http://dns.google/resolve", false],
  ["http://127.0.0.1.evil.example/", false],
  ["http://localhost.evil.example/", false],
  ["ftp://localhost/", false],
  ["dns.google", false],
  ["", false],
])("isResolverUrl(%j) is %j", (url, expected) => expect(isResolverUrl(url)).toBe(expected));
