import { describe, expect, it } from "vitest";
import { findSections, makeSearchable, type Section } from "../../../src/core/documents/find-sections";

function section(heading: string, text: string, title = "Page"): Section {
  return { page: `docs/${title.toLowerCase()}.md`, title, heading, text };
}

const sections = [
  section("Signatures", "A webhook has a signature. Verify the signature with the secret.", "Webhooks"),
  section("Retries", "A delivery is tried again for three days.", "Webhooks"),
  section("Variants", "A campaign may have variants, and a webhook hears of its end.", "Campaigns"),
  section("Pausing", "A pause stops a campaign.", "Campaigns"),
];
const searchable = makeSearchable(sections);

function headings(question: string): string[] {
  return findSections(searchable, question, 3).map(({ heading }) => heading);
}

describe("findSections", () => {
  it("puts the section first that says most about the question", () => {
    expect(headings("How do I verify the signature of a webhook?")[0]).toBe("Signatures");
    expect(headings("pausing campaigns")[0]).toBe("Pausing");
  });

  it("takes singular and plural as the same word, in any case", () => {
    expect(headings("VARIANT")).toEqual(["Variants"]);
    expect(headings("deliveries tried again")[0]).toBe("Retries");
  });

  it("finds nothing for words that no section has, or that say nothing", () => {
    expect(headings("zebra")).toEqual([]);
    expect(headings("how do I")).toEqual([]);
    expect(headings("")).toEqual([]);
  });

  it("returns at most as many as asked for", () => {
    expect(findSections(searchable, "webhook campaign", 2)).toHaveLength(2);
  });

  it("works without any section", () => {
    expect(findSections(makeSearchable([]), "webhook", 3)).toEqual([]);
  });
});
