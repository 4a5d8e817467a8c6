import { env, exports } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admin, bearer } from "../support/project";
import { putFile } from "../support/upload";

const megabyte = 1024 * 1024;
const largest = 40 * megabyte;
const name = "files/attachment/a";

async function beginUpload(): Promise<{ id: string; stored(): Promise<R2Object | null>; names(): Promise<string[]> }> {
  const { id } = (await admin.post("/admin/backups", {})).body;
  const below = async () => (await env.BLOBS.list({ prefix: `backups/${id}/` })).objects;
  return {
    id,
    stored: async () => (await below()).find(({ key }) => key.endsWith(`/${name}`)) ?? null,
    names: async () => (await below()).map(({ key }) => key.split("/").slice(3).join("/")),
  };
}

/** The same bytes at each place of each file, so that none has to be held as a whole. */
const chunk = Uint8Array.from({ length: 65_536 }, (_, place) => (place * 7) % 251);

/** Sends a file chunk by chunk, of which only `sent` bytes arrive. */
async function stream(id: string, size: number, { sent = size, sha256 = "", gives = true } = {}): Promise<Response> {
  const { readable, writable } = gives ? new FixedLengthStream(size) : new TransformStream();
  const query = new URLSearchParams({ name, ...(sha256 && { sha256 }) });
  const answer = exports.default.fetch(`https://petrel.example/admin/backups/${id}/file?${query}`, {
    method: "PUT",
    body: readable,
    ...bearer(env.ADMIN_TOKEN ?? ""),
  });
  send(writable, sent, size).catch(() => {});
  return answer;
}

async function send(writable: WritableStream<Uint8Array>, sent: number, size: number): Promise<void> {
  const writer = writable.getWriter();
  for (let at = 0; at < sent; at += chunk.length) await writer.write(chunk.subarray(0, sent - at));
  if (sent === size) await writer.close();
  else await writer.abort(new Error("The connection was lost"));
}

function hashOf(size: number): string {
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += chunk.length) hash.update(chunk.subarray(0, size - at));
  return hash.digest("hex");
}

describe("a file of a backup that is uploaded", () => {
  it("may have 40 MB and not a byte more, and neither of two at once is in memory as a whole", {
    timeout: 60_000,
  }, async () => {
    const sha256 = hashOf(largest);
    const uploads = await Promise.all(Array.from({ length: 2 }, beginUpload));
    // Held in memory, the two would be more than an isolate holds of bodies.
    const answers = await Promise.all(uploads.map(({ id }) => stream(id, largest, { sha256 })));
    expect(answers.map(({ status }) => status)).toEqual(uploads.map(() => 204));
    for (const { stored } of uploads) expect((await stored())?.size).toBe(largest);
    const upload = await beginUpload();
    const refused = await stream(upload.id, largest + 1);
    expect([refused.status, await upload.names()]).toEqual([413, []]);
  });

  it("leaves nothing behind that counts when it breaks off, and stays what it was", async () => {
    const { id, stored, names } = await beginUpload();
    const size = 3 * megabyte;
    for (const sent of [0, 65_536, size - 1]) {
      const broken = await stream(id, size, { sent }).then(
        ({ status }) => status,
        () => 0,
      );
      expect([broken === 204, await names()]).toEqual([false, []]);
    }
    expect((await stream(id, 1_000)).status).toBe(204);
    const before = await stored();
    const broken = await stream(id, size, { sent: 2 * megabyte }).then(
      ({ status }) => status,
      () => 0,
    );
    expect(broken).not.toBe(204);
    expect((await stored())?.etag).toBe(before?.etag);
    expect((await stream(id, size)).status).toBe(204);
    expect((await stored())?.size).toBe(size);
  });

  it("is stored only if it has the hash that the caller expects, and needs a length", async () => {
    const { id, names } = await beginUpload();
    for (const size of [0, 1, 65_536, 65_537, megabyte]) {
      const refused = await stream(id, size, { sha256: hashOf(size + 1) });
      expect([refused.status, await names()]).toEqual([422, []]);
      expect(JSON.stringify(await refused.json())).toContain(hashOf(size));
    }
    for (const sha256 of ["a", "A".repeat(64)]) expect((await putFile(id, name, "a", sha256)).status).toBe(422);
    const unknown = await stream(id, megabyte, { gives: false });
    expect([unknown.status, await names()]).toEqual([400, []]);
    expect(JSON.stringify(await unknown.json())).toContain("Content-Length");
    for (const size of [0, 1, 65_537]) expect((await stream(id, size, { sha256: hashOf(size) })).status).toBe(204);
    const large = new Uint8Array(megabyte + 1);
    expect((await putFile(id, "manifest.json", large)).status).toBe(413);
    expect((await putFile(id, "manifest.json", '{ "format": 1 }', hashOf(15))).status).toBe(422);
  });
});
