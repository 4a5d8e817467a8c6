import type { Context as HonoContext } from "hono";
import { ForeignOrigin, NotAuthenticated } from "../../core/errors";
import { isJsonObject, type JsonObject } from "../../core/json";
import { lazily } from "../../core/lazily";
import { productVersion } from "../../core/product-version";
import { callsInside } from "../../http/call-inside";
import { answerFailure } from "../../http/failure";
import { notJson } from "../../http/not-json";
import { policy } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { openApi } from "./api";

/**
 * Loads the protocol and the tools with the first call to /mcp. The API's document, which loads all routes, does not
 * need them.
 */
const protocol = lazily(async () => ({ ...(await import("./serve")), ...(await import("./tools")) }));

/**
 * `POST /mcp`: the Model Context Protocol. It is not in the API's document, because the protocol defines the format.
 * Each API call of a tool passes through the whole Worker, like any other request.
 */
export const mcp = createRouter();

// Admits every secret key, even one of kind `read`: the routes that a tool calls apply their own policies.
mcp.post("/mcp", policy({ isRead: true }), async (c) => {
  requireOwnOrigin(c);
  const { serve, refusal, tools } = await protocol();
  const { ctx, key } = c.var;
  if (key === undefined) throw withoutKey();
  const text = await c.req.text();
  const message = parsed(text);
  if (message === undefined) {
    const { message: what, suggestion } = notJson(text, c.req.header("Content-Type") ?? "");
    return refusal(400, { code: -32700, text: `${what} ${suggestion}` });
  }
  const response = await serve({
    request: c.req.raw,
    message,
    version: productVersion,
    tools: tools.filter(({ reads }) => reads || key.kind !== "read"),
    desk: { api: openApi(callsInside(c)), documents: ctx.documents },
    describe: (thrown) => describe(thrown, c),
  });
  return c.newResponse(response.body, response);
});

/** Refuses a person with a session: tools call the API with the key of the request, and a session has none. */
function withoutKey(): NotAuthenticated {
  return new NotAuthenticated("/mcp takes a key, but this call has a session.", {
    suggestion: "Send a secret key as `Authorization: Bearer sk_...`, and no cookie.",
  });
}

/**
 * The protocol requires this check against DNS rebinding, by which a page resolves its own name to this machine. Such a
 * page has no key anyway, so the check is a second line of defence.
 */
function requireOwnOrigin(c: HonoContext<AppEnv>): void {
  const origin = c.req.header("Origin");
  if (origin === undefined || origin === new URL(c.req.url).origin) return;
  if (origin === c.get("platform").config.baseUrl) return;
  throw new ForeignOrigin(origin);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts an error into the API's answer for it, and logs it as the API does. */
async function describe(thrown: unknown, c: HonoContext<AppEnv>): Promise<JsonObject> {
  const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { error } = await answerFailure(failure, c).json<JsonObject>();
  return isJsonObject(error) ? error : {};
}
