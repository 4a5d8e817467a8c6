import { describe, expect, it } from "vitest";
import { call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { callWith } from "../support/with-settings";

const path = "/v1/track/batch";

/** Visits of one person, each with a key of its own. */
const visits = (...names: string[]) =>
  names.map((name) => ({ email: "ada@example.com", event: name, idempotencyKey: `visit-${name}` }));

const track = ({ keys }: TestProject, events: unknown[]) => call("POST", path, { key: keys.public, events });

describe("a batch of events", () => {
  it("is tracked in its order, and answered one by one", async () => {
    const project = await newProject();
    const [came, looked] = visits("came", "looked");
    const { status, body } = await track(project, [came, { email: "nobody", event: "came" }, looked]);
    expect(status).toBe(200);
    expect(body.data.answers).toMatchObject([
      { status: 200, retry: false, body: { success: true, data: { event: expect.any(String) } } },
      { status: 422, retry: false, body: { error: { code: "VALIDATION_ERROR", errors: [{ field: "email" }] } } },
      { status: 200, retry: false },
    ]);
    const { body: events } = await project.api.get("/events");
    expect(events.data.map(({ name, source }: Record<string, string>) => [name, source])).toEqual([
      ["looked", "PUBLIC"],
      ["came", "PUBLIC"],
    ]);
  });

  it("that is sent again counts nothing twice, and has its first answers", async () => {
    const project = await newProject();
    const first = await track(project, visits("came", "looked"));
    const again = await track(project, visits("came", "looked", "bought"));
    expect(again.body.data.answers.slice(0, 2)).toEqual(first.body.data.answers);
    expect(await eventCounts(project)).toEqual({ came: 1, looked: 1, bought: 1 });
  });

  it("tells of a key that another event has used, and goes on", async () => {
    const project = await newProject();
    await track(project, visits("came"));
    const [other] = visits("came");
    const answer = await track(project, [{ ...other, event: "left" }, ...visits("looked")]);
    expect(answer.body.data.answers).toMatchObject([
      { status: 409, retry: false, body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } } },
      { status: 200 },
    ]);
    expect(await eventCounts(project)).toEqual({ came: 1, looked: 1 });
  });

  it("takes a token for each event, and ends where there is none left", async () => {
    const project = await newProject();
    const limits = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_TRACK_PER_SECOND: "1", RATE_LIMIT_TRACK_BURST: "2" };
    const body = { events: visits("a", "b", "c", "d") };
    const answer = await callWith(limits, "POST", path, { token: project.keys.public, body });
    expect(answer.body.data.answers).toMatchObject([
      { status: 200, retry: false },
      { status: 200, retry: false },
      { status: 429, retry: true },
    ]);
    expect(await eventCounts(project)).toEqual({ a: 1, b: 1 });
    // The whole batch again, by a beacon: the key of the refused event is free.
    await track(project, body.events);
    expect(await eventCounts(project)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });

  it("is one of the project whose key it has, whatever its events say", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const events = visits("came").map((event) => ({ ...event, key: other.keys.public }));
    expect((await track(mine, events)).body.data.answers).toMatchObject([{ status: 200 }]);
    expect([await eventCounts(mine), await eventCounts(other)]).toEqual([{ came: 1 }, {}]);
  });

  it("answers a bad key of one event alone", async () => {
    const project = await newProject();
    const [came, looked] = visits("came", "looked");
    const answer = await track(project, [
      came,
      { ...looked, idempotencyKey: "a\nb" },
      { ...looked, idempotencyKey: 5 },
      looked,
    ]);
    const answers = answer.body.data.answers.map(({ status, body }: Record<string, never>) => [
      status,
      Reflect.get(Object(body), "error")?.code,
    ]);
    expect(answers).toEqual([
      [200, undefined],
      [400, "INVALID_IDEMPOTENCY_KEY"],
      [422, "VALIDATION_ERROR"],
      [200, undefined],
    ]);
    const levels = 20_000;
    const deep = `{"deep":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const text = `{"key":"${project.keys.public}","events":[{"email":"ada@example.com","event":"came","data":${deep}}]}`;
    expectInvalid(await call("POST", path, text), "events.0", "custom");
    expect(await eventCounts(project)).toEqual({ came: 1, looked: 1 });
  });

  it("needs a public key, and one to twenty events", async () => {
    const project = await newProject();
    const events = visits("came");
    expectRefusal(await call("POST", path, { key: project.keys.secret, events }), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", path, { events }), 401, "INVALID_API_KEY");
    expectInvalid(await track(project, []), "events", "too_small");
    expectInvalid(
      await track(
        project,
        Array.from({ length: 21 }, () => events[0]),
      ),
      "events",
      "too_big",
    );
    expect(await eventCounts(project)).toEqual({});
  });
});
