import { describe, expect, it } from "vitest";
import { openCsv } from "../../../src/core/contacts/csv";
import { MappingText, mapsMoved, mapsSubscribed } from "../../../src/core/contacts/csv-mapping";
import type { MovingIn } from "../../../src/core/contacts/csv-moved";
import { readRow } from "../../../src/core/contacts/csv-row";

function open(header: string, taken: Parameters<typeof openCsv>[1]) {
  return openCsv(new TextEncoder().encode(`${header}\n`), taken);
}

function faultsOf(mapping: unknown): string[] {
  const read = MappingText.safeParse(typeof mapping === "string" ? mapping : JSON.stringify(mapping));
  return (read.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const moving: MovingIn = { now: Date.parse("2026-01-31"), topics: new Set(["news"]) };

describe("a mapping", () => {
  it("gives columns the fields that it says, and leaves the others what they are called", () => {
    const mapping = { "E-mail address": "Email", "First name": "data.firstName", Plan: "plan", Notes: null };
    const csv = open("E-mail address,First name,Plan,Notes,city", { mapping });
    expect(csv).toMatchObject({
      emailAt: 0,
      columns: [
        { at: 1, key: "firstName" },
        { at: 2, key: "plan" },
        { at: 4, key: "city" },
      ],
      dropped: ["Notes"],
    });
  });

  it("finds the delimiter by the column that it makes the address", () => {
    expect(open("Adresse;Ort, Land", { mapping: { Adresse: "email" } })).toMatchObject({ delimiter: ";", emailAt: 0 });
  });

  it("takes a column as a field of the contact under that name, and as data with data. before it", () => {
    const csv = open("email,left,source", {
      mapping: { left: "optedOutAt", source: "data.source" },
      movingIn: moving,
      movesMappedOnly: true,
    });
    if ("fault" in csv) throw new Error(csv.fault);
    expect(readRow(csv, ["ada@example.com", "2025-01-31", "fair"])).toEqual({
      ...{ email: "ada@example.com", subscribed: false, data: { source: "fair" } },
      optedOutAt: Date.parse("2025-01-31"),
    });
  });

  it("moves no column that it does not name", () => {
    const csv = open("email,left,source,createdAt", {
      mapping: { left: "optedOutAt" },
      movingIn: moving,
      movesMappedOnly: true,
    });
    expect(csv).toMatchObject({ columns: [{ at: 2, key: "source" }], dropped: ["createdAt"] });
  });

  it("leaves no word about a column subscribed that it leaves out", () => {
    expect(open("email,subscribed", { mapping: { subscribed: null } })).toMatchObject({
      unheededAt: null,
      dropped: ["subscribed"],
    });
  });

  it("warns of opt-outs by the name that the column has in the file", () => {
    expect(open("email,Unsubscribed", { mapping: { Unsubscribed: "data.gone" } })).toMatchObject({
      columns: [{ at: 1, key: "gone" }],
      optOuts: [{ at: 1, key: "Unsubscribed" }],
    });
  });

  it.each<[what: string, header: string, mapping: Record<string, string | null>, mapped: string, fault: RegExp]>([
    ["names a column that is not there", "email,Plan", { plan: "data.plan" }, "plan", /no column plan.*email, Plan/],
    ["gives away the address twice", "email,Mail", { Mail: "email" }, "Mail", /email and Mail would both become email/],
    ["gives two columns one key", "email,plan,Tarif", { Tarif: "data.plan" }, "Tarif", /plan and Tarif .* data\.plan/],
    ["names two columns of one name", "email,a,a", { a: "data.b" }, "a", /Two columns are named a, and would both/],
  ])("that %s is the fault", (_, header, mapping, mapped, fault) => {
    expect(open(header, { mapping })).toEqual({ mapped, fault: expect.stringMatching(fault) });
  });

  it("that leaves out the address leaves a file without one", () => {
    expect(open("email,a", { mapping: { email: null } })).toEqual({
      fault: expect.stringMatching(/no column named email/),
    });
  });
});

describe("the text of a mapping", () => {
  it.each<[mapping: unknown, faults: RegExp[]]>([
    ["{", [/^: Must be JSON/]],
    [[], [/expected record/]],
    [{ a: 1 }, [/^a: /]],
    [{ a: "id" }, [/^a: id is reserved/]],
    [{ a: "updatedAt" }, [/^a: updatedAt is reserved/]],
    [{ a: "data.email" }, [/^a: email is reserved/]],
    [{ a: "data.subscribed" }, [/^a: subscribed is reserved/]],
    [{ a: "unsubscribeUrl" }, [/^a: unsubscribeUrl is reserved/]],
    [{ a: "" }, [/^a: .*at least one character/]],
    [{ a: "x".repeat(129) }, [/^a: .*at most 128/]],
    [{ a: "email", b: "EMAIL" }, [/^b: Becomes EMAIL, as does the column a/]],
    [{ a: "plan", b: "data.plan" }, [/^b: Becomes data\.plan, as does the column a/]],
    [{ a: "email", b: "data.plan", c: null, d: null }, []],
  ])("%.40j", (mapping, faults) => {
    const found = faultsOf(mapping);
    expect(found).toHaveLength(faults.length);
    for (const [at, fault] of faults.entries()) expect(found[at]).toMatch(fault);
  });

  it("has a limit", () => {
    expect(faultsOf("x".repeat(40_000))).toEqual([": May have at most 32768 characters"]);
  });

  it("says whether it asks for subscriptions, and for the columns of contacts who move", () => {
    expect([mapsSubscribed({ a: "Subscribed" }), mapsSubscribed({ a: "data.x" })]).toEqual([true, false]);
    expect([mapsMoved({ a: "topics" }), mapsMoved({ a: "data.topics" })]).toEqual([true, false]);
  });
});
