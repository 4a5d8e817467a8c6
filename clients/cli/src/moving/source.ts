import type { Account } from "./account";
import type { Api, ApiSettings } from "./api";
import type { Language } from "./languages/language";
import type { Row } from "./table";

/** What is known of the other service before it is asked. */
export interface SourceSettings {
  key: string;
  /** As said by `--url`. */
  url: string | undefined;
  /** As said by `--audience`. */
  audience: string | undefined;
}

/** A service that people come from: what it calls what. */
export interface Source {
  name: string;
  /** What to give it: a file that its owner downloads, and how. */
  export: string;
  /** Adds what a row of an exported file says. The file's name tells sources with several files which it is. */
  readRow(account: Account, row: Row, file: string): void;
  api?: {
    /** The variable of the environment that has its key. */
    keyName: string;
    /** It has no list of people, so that a file is needed too. */
    isPartial?: true;
    connect(settings: SourceSettings): Omit<ApiSettings, "name" | "keyName">;
    read(account: Account, api: Api, settings: SourceSettings): Promise<void>;
  };
  /** The language of its templates. */
  language: Language;
}
