import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { partTimeoutMs, uploadParts } from "../../clients/cli/src/commands/upload-parts";
import { Petrel } from "../../clients/node/src/petrel";

const file = Buffer.from("email\nada@example.com\nbob@example.com\n");
const partBytes = 20;

/** A service that takes a file in two parts. `faultOf` says what happens to a try of a part: how it is answered, if at all. */
async function serve(faultOf: (part: number, tries: number) => number | "cut" | null) {
  const stored = new Map<number, string>();
  const tries = new Map<number, number>();
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://petrel.test");
    const body = await buffer(request);
    const answer = (status: number, json: object) => {
      response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" });
      response.end(JSON.stringify(json));
    };
    calls.push(`${request.method} ${url.pathname}`);
    if (url.pathname === "/contacts/imports") {
      const parts = [1, 2].map((number) => ({
        number,
        bytes: number === 1 ? partBytes : file.byteLength - partBytes,
        url: `http://petrel.test/contacts/imports/i1/parts/${number}?signature=s${number}`,
      }));
      return answer(201, { id: "i1", partBytes, parts });
    }
    if (request.method === "PUT") {
      const part = Number(url.pathname.split("/").at(-1));
      tries.set(part, (tries.get(part) ?? 0) + 1);
      const fault = faultOf(part, tries.get(part) ?? 0);
      if (fault === "cut") return request.socket.destroy();
      if (fault !== null)
        return answer(fault, { success: false, error: { code: "ANY", message: "No", statusCode: fault } });
      if (url.searchParams.get("signature") !== `s${part}`) return answer(401, {});
      stored.set(part, body.toString());
      return answer(200, { number: part, bytes: body.byteLength });
    }
    return answer(202, { jobId: "i1", status: "queued" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { petrel: new Petrel({ key: "sk_test", baseUrl }), stored, tries, calls };
}

it("sends a part that failed again, and begins the import with the whole file", async () => {
  const { petrel, stored, tries, calls } = await serve((part, attempt) => {
    if (part === 1 && attempt === 1) return "cut";
    return part === 2 && attempt <= 3 ? 503 : null;
  });
  expect(await uploadParts(petrel, file, { name: "people.csv" })).toMatchObject({ jobId: "i1" });
  expect([...stored.values()].join("")).toBe(file.toString());
  expect([tries.get(1), tries.get(2)]).toEqual([2, 4]);
  expect(calls.at(-1)).toBe("POST /contacts/imports/i1/complete");
});

it("gives the upload up when a part is refused for good", async () => {
  const { petrel, tries, calls } = await serve((part) => (part === 2 ? 422 : null));
  await expect(uploadParts(petrel, file, { name: "people.csv" })).rejects.toThrow();
  expect([tries.get(2), calls.at(-1)]).toEqual([1, "DELETE /contacts/imports/i1"]);
});

it("waits for a part as long as the service does, whatever the client waits for other calls", async () => {
  const { petrel } = await serve(() => null);
  const waits: (number | undefined)[] = [];
  const { uploadImportPart } = petrel.contacts;
  petrel.contacts.uploadImportPart = (...given) => {
    waits.push(given[4]?.timeoutMs);
    return uploadImportPart(...given);
  };
  await uploadParts(petrel, file, { name: "people.csv" });
  expect(waits).toEqual([partTimeoutMs, partTimeoutMs]);
  expect(partTimeoutMs).toBeGreaterThan(300_000);
});
