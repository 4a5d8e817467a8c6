import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { mistakesInLists } from "../support/mistakes/lists";
import { gradeOf, isDistinct, type Mistake } from "../support/mistakes/mistake";
import { mistakesWithPeople } from "../support/mistakes/people";
import { mistakesInRequests } from "../support/mistakes/requests";
import { mistakesInSending } from "../support/mistakes/sending";
import { mistakesInSettings } from "../support/mistakes/settings";
import { mistakesInWorkflows } from "../support/mistakes/workflows";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";

const areas = {
  "POST /v1/send": mistakesInSending,
  "keys, paths and bodies": mistakesInRequests,
  "contacts, events and segments": mistakesWithPeople,
  lists: mistakesInLists,
  "templates, campaigns, domains, webhooks and projects": mistakesInSettings,
  workflows: mistakesInWorkflows,
};
const all = Object.values(areas).flat();

let project: TestProject;
/** What stands for `{contact}` and so on in a call. */
let values: Record<string, string>;

async function idOf(path: string, body: unknown): Promise<string> {
  const { body: made } = await project.api.post(path, body);
  return made.id ?? made.data.id;
}

/** All mistakes are refused, so that they may share one project. */
beforeAll(async () => {
  project = await newProject();
  const read = await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" });
  const content = { subject: "s", body: "<p>b</p>", from: `hello@${project.domain}` };
  const workflow = (await project.api.post("/workflows", { name: "Welcome", eventName: "signup" })).body;
  values = {
    domain: project.domain,
    project: project.id,
    public: project.keys.public,
    read: read.body.key,
    operator: env.ADMIN_TOKEN ?? "",
    contact: await idOf("/contacts", { email: "known@example.com" }),
    campaign: await idOf("/campaigns", { name: "March", audienceType: "ALL", ...content }),
    static: await idOf("/segments", { name: "By hand", type: "STATIC" }),
    workflow: workflow.id,
    trigger: workflow.steps[0].id,
  };
});

function filled<T>(sent: T): T {
  const text = JSON.stringify(sent ?? null).replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  return sent === undefined ? sent : JSON.parse(text);
}

async function answerTo({ call: line, body, headers = {} }: Mistake) {
  const [method = "", path = ""] = filled(line).split(" ");
  const { Authorization, ...others } = { ...bearer(project.keys.secret).headers, ...filled(headers) };
  const given: Record<string, string> = Authorization ? { Authorization, ...others } : others;
  return call(method, path, filled(body), { headers: given });
}

describe("the grader", () => {
  const mistake = { call: "GET /x", names: '"page"', saw: '"received":"2"', says: "?cursor=" };
  const fault = { field: "page", message: "Use ?cursor=", received: "2" };
  const graded = (status: number, body: unknown) => gradeOf({ status, headers: new Headers(), body }, mistake);

  it("wants all three for an A, two for a B, and a refusal for either", () => {
    expect(graded(422, { errors: [fault] })).toBe("A");
    expect(graded(422, { errors: [{ ...fault, received: undefined }] })).toBe("B");
    expect(graded(422, { errors: [{ field: "page", message: "Invalid" }] })).toBe("C");
    expect(graded(200, { warnings: [{ field: "page", message: "Ignored" }] })).toBe("D");
    expect(graded(200, {})).toBe("F");
  });

  it("gives an answer that only echoes the field a C", () => {
    const echoed = { ...mistake, saw: "page", says: "page" };
    const body = { errors: [{ field: "page", message: "Invalid" }] };
    expect(isDistinct(echoed)).toBe(false);
    expect(gradeOf({ status: 422, headers: new Headers(), body }, echoed)).toBe("C");
  });
});

it("are 144 or more, and each wants three different things to be said", () => {
  expect(all.length).toBeGreaterThanOrEqual(144);
  expect(all.filter((mistake) => !isDistinct(mistake))).toEqual([]);
});

describe.each(Object.entries(areas))("mistakes in %s", (_, mistakes) => {
  it.each(mistakes.map((mistake) => [mistake.call, mistake] as const))("%s: %j", async (_, mistake) => {
    const answer = await answerTo(mistake);
    const { names, saw, says } = filled({ names: mistake.names, saw: mistake.saw, says: mistake.says });
    const grade = gradeOf(answer, { ...mistake, names, saw, says });
    expect(
      ["A", "B"],
      `${grade}, wanted ${names} | ${saw} | ${says} in ${answer.status} ${JSON.stringify(answer.body)}`,
    ).toContain(grade);
  });
});
