import { describe, expect, it } from "vitest";
import { admin, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { newContact } from "../support/segment";
import { newTemplate } from "../support/template";
import { newTopic } from "../support/topic";

const imprint = { company: "Acme", postalAddress: "1 Main Street" };
const content = { subject: "Hello {{ firstName }}", body: "<p>Hello {{ firstName }}, {{ plan }}</p>" };

describe("POST /preview", () => {
  it("is what the preview of a template of the same content is, with its size", async () => {
    const project = await newProject(imprint);
    const ada = await newContact(project, "ada@example.com", { data: { firstName: "Ada" } });
    const asked = { contactId: ada.id, data: { plan: "pro & more" } };
    const { status, body } = await project.api.post("/preview", { ...content, previewText: "For you", ...asked });
    expect(status, JSON.stringify(body)).toBe(200);
    const template = await newTemplate(project, { ...content, previewText: "For you" });
    const stored = await project.api.post(`/templates/${template.id}/preview`, asked);
    const { bytes, warnings, links, ...preview } = body;
    expect(preview).toEqual(stored.body);
    expect(preview).toMatchObject({ subject: "Hello Ada", missing: [] });
    expect(preview.html).toContain("Hello Ada, pro &amp; more");
    expect(preview.html).toContain("Acme");
    expect(bytes).toBe(new TextEncoder().encode(preview.html).length);
    expect([warnings, links]).toEqual([[], []]);
  });

  it("says which link of the body each link of the mail was", async () => {
    const project = await newProject(imprint);
    const link = '<a href="https://acme.example/{{ slug }}?a=1&amp;b=2">Go</a>';
    const { body } = await project.api.post("/preview", { subject: "Hello", body: link, data: { slug: "sale" } });
    expect(body.html).toContain("/unsubscribe/");
    expect(body.links).toEqual([
      { href: "https://acme.example/sale?a=1&b=2", url: "https://acme.example/{{ slug }}?a=1&b=2" },
    ]);
  });

  it("names what has no value, and leaves the footer out of TRANSACTIONAL mail", async () => {
    const project = await newProject(imprint);
    const { body } = await project.api.post("/preview", { ...content, type: "TRANSACTIONAL" });
    expect(body).toMatchObject({ subject: "Hello ", missing: ["firstName", "plan"], warnings: [] });
    expect(body.html).not.toContain("unsubscribe");
  });

  it("warns of what would go out and should not", async () => {
    const project = await newProject();
    const body = `<a href="#">Go</a><a href="/shop">Shop</a><img src="https://a.example/a.png">${"x".repeat(110_000)}`;
    const { body: shown } = await project.api.post("/preview", { subject: "Hello", body, colour: "red" });
    const told = shown.warnings.map(({ message }: { message: string }) => message);
    expect(told).toEqual([
      "Not a field of this endpoint, and ignored.",
      expect.stringContaining("postalAddress"),
      expect.stringContaining("Gmail clips"),
      'A link leads nowhere: <a href="#">Go',
      'A link is not a complete URL, so it does not work in an email: <a href="/shop">Shop',
      expect.stringContaining("An image has no alt text"),
    ]);
  });

  it("refuses what no template could have", async () => {
    const project = await newProject();
    const preview = (fields: object) => project.api.post("/preview", { ...content, ...fields });
    expectInvalid(await preview({ body: "{{ a" }), "body", "custom");
    expectInvalid(await preview({ subject: "{% nope %}" }), "subject", "custom");
    expectInvalid(await preview({ subject: undefined }), "subject", "required");
    expectInvalid(await preview({ type: "LETTER" }), "type", "invalid_enum_value");
    const topic = await newTopic(project);
    expectInvalid(await preview({ type: "HEADLESS", topicId: topic.id }), "topicId", "custom");
    expect((await preview({ topicId: topic.id })).status).toBe(200);
  });

  it("is 404 for a contact and a topic of another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const ada = await newContact(other, "ada@example.com");
    const topic = await newTopic(other);
    const details = { resource: "contact", id: ada.id };
    expectRefusal(await project.api.post("/preview", { ...content, contactId: ada.id }), 404, "CONTACT_NOT_FOUND", {
      details,
    });
    const foreign = await project.api.post("/preview", { ...content, topicId: topic.id });
    expectRefusal(foreign, 404, "RESOURCE_NOT_FOUND", { details: { resource: "topic", id: topic.id } });
  });

  it("takes a key that only reads", async () => {
    const project = await newProject();
    const { body } = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
    const headers = { Authorization: `Bearer ${body.key}` };
    expect((await call("POST", "/preview", content, { headers })).status).toBe(200);
  });
});
