import { createServer } from "node:net";
import { Failure } from "./failure.mjs";

// A port may be taken on a single address only, and systems differ in where the clash shows. So each address is tried.
const ADDRESSES = ["::", "0.0.0.0", "127.0.0.1", "::1"];

/** Returns the port that the setting `name` contains. */
export function readPort(text, name = "PORT") {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Failure(`${name} is "${text}": make it a whole number from 1 to 65535.`);
  }
  return port;
}

/** Throws a Failure that explains why a port is not available. */
export async function requireFree(port, name = "PORT") {
  const clash = await findClash(port);
  if (clash === "EACCES") throw new Failure(`This user may not open port ${port}: set ${name} to a number above 1023.`);
  if (clash) {
    throw new Failure(
      `Port ${port} is in use: stop what runs there, or take another one, as in ${name}=${port + 1} npm start.`,
    );
  }
}

export async function isPortFree(port) {
  return (await findClash(port)) === undefined;
}

/** Returns a port on which no process listens. */
export function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function findClash(port) {
  for (const address of ADDRESSES) {
    const code = await tryListen(port, address);
    if (code === "EADDRINUSE" || code === "EACCES") return code;
  }
}

function tryListen(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(error.code));
    server.listen({ port, host }, () => server.close(() => resolve(null)));
  });
}
