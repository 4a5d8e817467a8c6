/** Connects to the Worker's own isolate, by the protocol of its debugger. */
export async function inspect(port) {
  const [target] = await targetsAt(port);
  return attach(target.webSocketDebuggerUrl);
}

/** Returns what can be debugged at a port. */
export function targetsAt(port) {
  return fetch(`http://127.0.0.1:${port}/json`).then((response) => response.json());
}

/** Connects to one isolate. */
export async function attach(url) {
  const socket = new WebSocket(url, { headers: { Origin: "http://127.0.0.1" } });
  const waiting = new Map();
  const isolate = { ask, close: () => socket.close(), contextId: undefined };
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(data);
    if (method === "Runtime.executionContextCreated") isolate.contextId = params.context.id;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The isolate is gone"));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("The debugger of the Worker cannot be reached")));
  });
  let calls = 0;
  function ask(method, params) {
    const id = ++calls;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    socket.send(JSON.stringify({ id, method, params }));
    return answer.finally(() => waiting.delete(id));
  }
  await ask("Runtime.enable");
  return isolate;
}
