import { describe, expect, it } from "vitest";
import { generateKey } from "../../src/core/keys";
import { bearer, call, newProject } from "../support/project";

interface Operation {
  method: string;
  path: string;
  security: Record<string, string[]>[];
}

const { body: document } = await call("GET", "/openapi.json");
const operations: Operation[] = Object.entries<Record<string, { security?: Operation["security"] }>>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    method: method.toUpperCase(),
    path: path.replace(/\{[^}]+\}/g, "0199a0f2-0000-7000-8000-000000000000"),
    security: security ?? document.security,
  })),
);
const named = (kind: string) =>
  operations
    .filter(({ security }) => security.every((way) => kind in way))
    .map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

it("knows every operation", () => {
  expect(operations.length).toBeGreaterThan(10);
  expect(named("secretKey").length + named("operatorToken").length).toBeGreaterThan(10);
});

async function refusal({ method, path }: Operation, token?: string) {
  const body = method === "GET" || method === "DELETE" ? undefined : {};
  const answer = await call(method, path, body, token === undefined ? {} : bearer(token));
  return { status: answer.status, code: answer.body.error?.code, success: answer.body.success };
}

const refused = { status: 401, code: "INVALID_API_KEY", success: false };

describe("every operation of a project refuses", () => {
  it.each(named("secretKey"))("%s: no key", async (_, operation) => {
    expect(await refusal(operation)).toEqual(refused);
  });

  it.each(named("secretKey"))("%s: a wrong key", async (_, operation) => {
    expect(await refusal(operation, generateKey("secret"))).toEqual(refused);
    expect(await refusal(operation, "sk_short")).toEqual(refused);
  });

  it.each(named("secretKey"))("%s: a public key", async (_, operation) => {
    const { keys } = await newProject();
    expect(await refusal(operation, keys.public)).toEqual(refused);
  });
});

describe("every operation of the operator refuses", () => {
  it.each(named("operatorToken"))("%s: no token, a wrong one, and a project's key", async (_, operation) => {
    const { keys } = await newProject();
    expect(await refusal(operation)).toEqual(refused);
    expect(await refusal(operation, "x".repeat(64))).toEqual(refused);
    expect(await refusal(operation, keys.secret)).toEqual(refused);
  });
});
