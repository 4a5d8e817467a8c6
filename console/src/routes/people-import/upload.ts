import type { ImportPlan, ImportUpload, Petrel } from "petrel-client";
import { useEffect, useRef, useState } from "react";

/** How long a part may take: a little longer than the service waits for it. */
const partTimeoutMs = 330_000;
const partRetries = 3;

export interface Options {
  /** Whether the column subscribed of the file says who is subscribed. */
  subscribed?: "column";
}

/** The state of the upload of a file. The parts are sent one after another, and an upload that failed continues with its part. */
export type Upload =
  | { stage: "none" }
  | { stage: "uploading"; sent: number; of: number }
  | { stage: "failed"; error: unknown; sent: number; of: number }
  | { stage: "ready"; id: string; plan: ImportPlan };

interface Begun {
  file: File;
  options: Options;
  upload: ImportUpload | null;
  sent: number;
}

export interface Uploading {
  state: Upload;
  begin(file: File, options: Options): void;
  again(): void;
  /** Gives up the upload, and lets another file be chosen. */
  cancel(): void;
  /** Leaves the upload to its import. */
  leave(): void;
}

/** Uploads a file in parts, and plans its import. An upload is given up when the page is left before its import. */
export function useUpload(petrel: Petrel): Uploading {
  const [state, setState] = useState<Upload>({ stage: "none" });
  const begun = useRef<Begun | null>(null);
  const abort = useRef(new AbortController());

  function stop(): void {
    abort.current.abort();
    const id = begun.current?.upload?.id;
    begun.current = null;
    // An upload that cannot be given up now expires within a day.
    if (id !== undefined) petrel.contacts.giveUpImport(id).catch(() => undefined);
  }
  function cancel(): void {
    stop();
    setState({ stage: "none" });
  }
  const latest = useRef({ stop, cancel });
  latest.current = { stop, cancel };
  useEffect(() => {
    // When the tab is closed or loaded again, the component is not unmounted. A browser may also show the page once more.
    const hide = () => latest.current.cancel();
    addEventListener("pagehide", hide);
    return () => {
      removeEventListener("pagehide", hide);
      latest.current.stop();
    };
  }, []);

  async function run(one: Begun): Promise<void> {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const of = one.file.size;
    const show = (next: Upload) => {
      if (!signal.aborted) setState(next);
    };
    show({ stage: "uploading", sent: one.sent, of });
    try {
      one.upload ??= await petrel.contacts.beginImport({ bytes: of, name: one.file.name, ...one.options }, { signal });
      const { id, parts, partBytes } = one.upload;
      for (const { number, bytes, url } of parts) {
        const from = (number - 1) * partBytes;
        if (from < one.sent) continue;
        const signature = new URL(url ?? "").searchParams.get("signature") ?? "";
        const part = one.file.slice(from, from + bytes);
        const patience = { signal, timeoutMs: partTimeoutMs, maxRetries: partRetries };
        await petrel.contacts.uploadImportPart(id, String(number), part, { signature }, patience);
        one.sent = from + bytes;
        show({ stage: "uploading", sent: one.sent, of });
      }
      const plan = await petrel.contacts.completeImport(id, {}, { dryRun: "true" }, { signal });
      show({ stage: "ready", id, plan });
    } catch (error) {
      show({ stage: "failed", error, sent: one.sent, of });
    }
  }

  return {
    state,
    begin(file, options) {
      begun.current = { file, options, upload: null, sent: 0 };
      void run(begun.current);
    },
    again() {
      if (begun.current) void run(begun.current);
    },
    cancel,
    leave() {
      begun.current = null;
    },
  };
}
