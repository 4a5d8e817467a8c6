import { Failure } from "./failure.mjs";

/**
 * Returns a function that calls the API at `base`. A form and bytes are sent unchanged. The result is the answer's JSON, or bytes.
 * A status in `accept` gives null; any other refusal ends the command.
 */
export function apiOf(base, signal) {
  return async (method, path, { key, body, accept = [] }) => {
    const isReady = body instanceof FormData || body instanceof Uint8Array;
    const response = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(isReady ? {} : { "Content-Type": "application/json" }) },
      body: isReady ? body : body && JSON.stringify(body),
      signal,
    }).catch((error) => {
      throw new Failure(`${method} ${path} got no answer (${error.cause?.code ?? error.message}).`);
    });
    if (response.ok) {
      return answerIn(response).catch((error) => {
        throw new Failure(`The answer to ${method} ${path} broke off (${error.cause?.code ?? error.message}).`);
      });
    }
    if (accept.includes(response.status)) return null;
    const message = messageIn(await response.text());
    throw new Failure(`${method} ${path} answered ${response.status}: ${message}`, { status: response.status });
  };
}

async function answerIn(response) {
  if (response.status === 204) return null;
  if (response.headers.get("Content-Type") !== "application/octet-stream") return response.json();
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the message of a refusal, or the whole text if the answer does not come from Petrel. */
export function messageIn(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text;
  }
}
