import { describe, expect, it } from "vitest";
import { framed } from "../support/framed";
import { newProject } from "../support/project";
import { contactOf, emailIds, mailOf, sendAndOpen } from "../support/send-and-wait";

describe("the data of a call, in its own mail", () => {
  it("takes __proto__ and constructor for keys and nothing else", async () => {
    const project = await newProject();
    const data = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":"c"}');
    const body = "[{{ polluted }}][{{ data.polluted }}][{{ constructor }}][{{ constructor.name }}][{{ toString }}]";
    expect((await sendAndOpen(project, { data, body })).html).toBe(framed("[][][c][][]"));
  });

  it("leaves the stored value where an empty string is sent", async () => {
    const project = await newProject();
    await project.api.send({ data: { plan: "pro" } });
    expect((await sendAndOpen(project, { data: { plan: "" }, body: "{{ plan }}" })).html).toBe(framed("pro"));
  });

  it("has no key that this call deletes", async () => {
    const project = await newProject();
    await project.api.send({ data: { plan: "pro" } });
    expect((await sendAndOpen(project, { data: { plan: null }, body: "[{{ plan ?? 'none' }}]" })).html).toBe(
      framed("[none]"),
    );
  });

  it("has no reserved keys, also when they are for one send only", async () => {
    const project = await newProject();
    const data = { email: "eve@example.com", id: { value: "1", persistent: false } };
    const sent = await project.api.send({ data, body: "{{ email }} {{ id }} {{ service_email }} {{ service_id }}" });
    const { id } = sent.body.data.emails[0].contact;
    expect((await mailOf(project, emailIds(sent)[0] ?? "")).html).toBe(
      framed(`ada@example.com ${id} ada@example.com ${id}`),
    );
  });
});

describe("values for one send (rule 5)", () => {
  const once = (value: unknown) => ({ value, persistent: false });

  it("are seen in this mail, not stored, and gone in the next", async () => {
    const project = await newProject();
    const body = "{{ code ?? 'none' }} {{ data.code ?? 'none' }}";
    const sent = await project.api.send({ data: { code: once("731"), plan: "pro" }, body });
    expect((await contactOf(project, sent)).data).toEqual({ plan: "pro" });
    expect((await mailOf(project, emailIds(sent)[0] ?? "")).html).toBe(framed("731 731"));
    expect((await sendAndOpen(project, { body })).html).toBe(framed("none none"));
  });

  it("hide the stored value in this mail and leave it stored", async () => {
    const project = await newProject();
    await project.api.send({ data: { code: "stored" } });
    const sent = await project.api.send({ data: { code: once("this time") }, body: "{{ code }}" });
    expect((await contactOf(project, sent)).data).toEqual({ code: "stored" });
    expect((await mailOf(project, emailIds(sent)[0] ?? "")).html).toBe(framed("this time"));
  });

  it.each([
    ["null", null, "[]"],
    ["false", false, "[false]"],
    ["zero", 0, "[0]"],
    ["an object", { a: { b: "deep" } }, "[{&#34;a&#34;:{&#34;b&#34;:&#34;deep&#34;}}]"],
  ])("may be %s", async (_, value, html) => {
    const project = await newProject();
    await project.api.send({ data: { code: "stored" } });
    const sent = await project.api.send({ data: { code: once(value) }, body: "[{{ code }}]" });
    expect((await contactOf(project, sent)).data).toEqual({ code: "stored" });
    expect((await mailOf(project, emailIds(sent)[0] ?? "")).html).toBe(framed(html));
  });

  it("go with each mail: two quick sends with code 1 and 2 say 1 and 2", async () => {
    const project = await newProject();
    const body = "<p>{{ code }}</p>";
    const answers = await Promise.all([1, 2].map((code) => project.api.send({ data: { code }, body })));
    const wrapped = await Promise.all([3, 4].map((code) => project.api.send({ data: { code: once(code) }, body })));
    const mails = await Promise.all([...answers, ...wrapped].flatMap(emailIds).map((id) => mailOf(project, id)));
    expect(mails.map((mail) => mail.html)).toEqual([1, 2, 3, 4].map((code) => framed(`<p>${code}</p>`)));
  });
});
