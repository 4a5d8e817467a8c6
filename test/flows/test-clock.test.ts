import { describe, expect, it } from "vitest";
import { inbox, move, newTestClock } from "../support/test-clock";

const dayMs = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();

describe("an advance", () => {
  it("sends scheduled mail at its time, with the ids and times of the project", async () => {
    const clock = await newTestClock();
    const { project, start } = clock;
    await project.api.send({ subject: "Later", to: "bob@example.com", scheduledFor: at(start + 3 * dayMs) });
    const job = await move(clock, { advance: "7d" });
    expect(job).toMatchObject({ status: "completed", result: { instants: 1, now: at(start + 7 * dayMs) } });
    expect(await inbox("bob@example.com")).toEqual([{ subject: "Later", createdAt: at(start + 3 * dayMs) }]);
  });
});
