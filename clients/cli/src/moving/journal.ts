import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Account } from "./account";

/** A contact file that was sent. */
export interface SentFile {
  jobId: string;
  isDone: boolean;
}

interface Kept {
  /** Identifies the project and the account. A journal of another pair is refused. */
  fingerprint: string;
  /** The addresses that were contacts before this import. Their choices here stay. */
  before?: string[];
  suppressed: number;
  files: Record<string, SentFile>;
}

/** Records the progress of an import, so that one that died can be continued. */
export class Journal {
  readonly #file: string;
  readonly #kept: Kept;
  /** Whether an earlier run has begun this very import. */
  readonly isResumed: boolean;

  constructor(sourceName: string, projectId: string, account: Account) {
    this.#file = join(".petrel", `import-${sourceName}.json`);
    const fingerprint = fingerprintOf(projectId, account);
    const before = existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, "utf8")) as Kept) : undefined;
    this.isResumed = before?.fingerprint === fingerprint;
    this.#kept = before && this.isResumed ? before : { fingerprint, suppressed: 0, files: {} };
  }

  /** How many addresses have been suppressed so far. */
  get suppressed(): number {
    return this.#kept.suppressed;
  }

  set suppressed(count: number) {
    this.#kept.suppressed = count;
    this.#write();
  }

  /** The addresses that were contacts before this import; undefined until they are known. */
  get before(): string[] | undefined {
    return this.#kept.before;
  }

  keepBefore(emails: string[]): void {
    this.#kept.before = emails;
    this.#write();
  }

  sent(name: string): SentFile | undefined {
    return this.#kept.files[name];
  }

  send(name: string, file: SentFile): void {
    this.#kept.files[name] = file;
    this.#write();
  }

  /** Called when everything is done. Another import then starts from the beginning. */
  end(): void {
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#kept));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

function fingerprintOf(projectId: string, { people, suppressed, topics }: Account): string {
  const hash = createHash("sha256").update(projectId);
  for (const list of [people, suppressed, topics])
    for (const item of list.values()) hash.update(`${JSON.stringify(item)}\n`);
  return hash.digest("hex");
}
