import { ConnectionError, errorOf } from "petrel-client";

const accessPath = "/console/session/access";

/** Calls a route for people. The client does not have these routes, because they take no key. */
export async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const { answer, text } = await send(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const isJson = answer.headers.get("Content-Type")?.includes("json") ?? false;
  const said: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
  if (answer.type === "opaqueredirect") throw awayFromAccess();
  if (!answer.ok) throw errorOf(answer, said);
  return said as Body; // each caller gives the type of its route's answer
}

/** No route of ours redirects such a call: Cloudflare Access does, when its own session is over. */
function awayFromAccess(): Error {
  const said = { message: "Cloudflare Access asks to sign in again.", error: { details: { access: accessPath } } };
  return errorOf(new Response(null, { status: 401 }), said);
}

async function send(path: string, init: RequestInit): Promise<{ answer: Response; text: string }> {
  try {
    const answer = await fetch(path, { ...init, redirect: "manual" });
    return { answer, text: await answer.text() };
  } catch (cause) {
    throw new ConnectionError(`The connection failed: ${init.method} ${path}`, { cause });
  }
}
