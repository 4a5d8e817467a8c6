import { afterEach, describe, it, vi } from "vitest";
import { expectSameEnd } from "../support/same-end";
import { works } from "../support/works";

afterEach(() => {
  vi.unstubAllGlobals();
});

const types = Object.keys(works) as (keyof typeof works)[];

describe("a message, whatever happened to each of its writes, comes to the same end:", () => {
  it.each(types)("%s", (type) => expectSameEnd(works[type], { type }), 60_000);
});
