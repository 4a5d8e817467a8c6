/** Bytes that arrive while they are stored. Reading them may throw, and then nothing is stored. */
export interface IncomingBytes {
  /** The exact number of bytes. */
  size: number;
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Stored files, in R2. The key of a file begins with its kind and its project, so that the files of a project share a
 * prefix.
 */
export interface Blobs {
  put(key: string, content: string | Uint8Array): Promise<void>;
  /**
   * Stores a file chunk by chunk, so that only one chunk is in memory. An error from reading the bytes is thrown
   * unchanged.
   */
  putIncoming(key: string, incoming: IncomingBytes): Promise<void>;
  /** Opens a file as a stream, so that only one chunk is in memory. Returns null when there is no such file. */
  open(key: string): Promise<{ size: number; stream: ReadableStream<Uint8Array> } | null>;
  /** Returns null when there is no such file. */
  get(key: string): Promise<Uint8Array | null>;
  /**
   * Reads some bytes of a file. Returns null when the file is gone, or when its content has changed and so has its tag.
   */
  getRange(key: string, range: { tag: string; from: number; length: number }): Promise<Uint8Array | null>;
  delete(keys: string[]): Promise<void>;
  /** Returns, in order, up to 1,000 keys that begin with the prefix and come after `after`. */
  list(prefix: string, after?: string): Promise<string[]>;
  /** Returns up to 1,000 files whose keys begin with the prefix, in order. Two contents never have the same tag. */
  describe(prefix: string): Promise<{ key: string; bytes: number; tag: string }[]>;
  /** Returns up to 1,000 files with keys after the given one, in order, each with the time it was stored. */
  listAfter(key: string): Promise<{ files: { key: string; putAt: number }[]; isLast: boolean }>;
  /** Counts up to 1,000 files whose keys begin with the prefix and come after `after`. `last` is null at the end. */
  measure(prefix: string, after: string | null): Promise<{ rows: number; bytes: number; last: string | null }>;
}

export type BlobKind = "content" | "attachment" | "template" | "campaign" | "outbox" | "import" | "file";

export const blobKinds: readonly BlobKind[] = [
  "content",
  "attachment",
  "template",
  "campaign",
  "outbox",
  "import",
  "file",
];

/** Texts larger than this are stored in R2, because rows of D1 should stay small for queries over many rows. */
export const maxTextBytesInRow = 65_536;

export function blobKey(kind: BlobKind, projectId: string, id: string): string {
  return `${kind}/${projectId}/${id}`;
}

/** Thrown when R2 fails. Files are stored before any row names them, so the failure has had no effect. */
export class FilesAway extends Error {
  override readonly name = "FilesAway";
}

async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new FilesAway("The file storage does not answer", { cause: error });
  }
}

export function openBlobs(bucket: R2Bucket): Blobs {
  return {
    async put(key, content) {
      await reached(bucket.put(key, content));
    },
    async putIncoming(key, { size, chunks }) {
      const { readable, writable } = new FixedLengthStream(size);
      const stored = reached(bucket.put(key, readable));
      // `stored` is awaited below. It may fail earlier, which would be an unhandled rejection without this line.
      stored.catch(() => {});
      const writer = writable.getWriter();
      try {
        for await (const chunk of chunks()) await reached(Promise.race([writer.write(chunk), stored]));
        await writer.close();
      } catch (error) {
        // R2 stores a stream completely or not at all, so nothing is left to delete.
        await writer.abort(error).catch(() => {});
        await stored.catch(() => {});
        throw error;
      }
      await stored;
    },
    async open(key) {
      const object = await reached(bucket.get(key));
      return object && { size: object.size, stream: object.body };
    },
    async get(key) {
      const object = await reached(bucket.get(key));
      return object ? new Uint8Array(await reached(object.arrayBuffer())) : null;
    },
    async getRange(key, { tag, from, length }) {
      const options = { onlyIf: { etagMatches: tag }, range: { offset: from, length } };
      const object = await reached(bucket.get(key, options));
      return object && "body" in object ? new Uint8Array(await reached(object.arrayBuffer())) : null;
    },
    async delete(keys) {
      if (keys.length > 0) await reached(bucket.delete(keys));
    },
    async list(prefix, after) {
      const options = after === undefined ? { prefix } : { prefix, startAfter: after };
      return (await reached(bucket.list(options))).objects.map((object) => object.key);
    },
    async describe(prefix) {
      const { objects } = await reached(bucket.list({ prefix }));
      return objects.map(({ key, size, etag }) => ({ key, bytes: size, tag: etag }));
    },
    async listAfter(key) {
      const { objects, truncated } = await reached(bucket.list(key === "" ? {} : { startAfter: key }));
      const files = objects.map((object) => ({ key: object.key, putAt: object.uploaded.getTime() }));
      return { files, isLast: !truncated };
    },
    async measure(prefix, after) {
      const from = after === null ? {} : { startAfter: after };
      const { objects, truncated } = await reached(bucket.list({ prefix, ...from }));
      const bytes = objects.reduce((sum, { size }) => sum + size, 0);
      return { rows: objects.length, bytes, last: truncated ? (objects.at(-1)?.key ?? null) : null };
    },
  };
}
