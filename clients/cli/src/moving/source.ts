import type { Account } from "./account";
import type { Api, ApiSettings } from "./api";
import type { Language } from "./languages/language";
import type { Row } from "./table";

/** Facts about the other service that are needed before it is called. */
export interface SourceSettings {
  key: string;
  /** The value of `--url`. */
  url: string | undefined;
  /** The value of `--audience`. */
  audience: string | undefined;
}

/** A service to import from: how its exported files and its API are read, and the language of its templates. */
export interface Source {
  name: string;
  /** Describes the file that the owner of the account exports, and how. */
  export: string;
  /** Adds the content of a row of an exported file. Sources with several files tell them apart by the file's name. */
  readRow(account: Account, row: Row, file: string): void;
  api?: {
    /** The environment variable with its key. */
    keyName: string;
    /** The API lists no people, so a file is needed too. */
    isPartial?: true;
    connect(settings: SourceSettings): Omit<ApiSettings, "name" | "keyName">;
    read(account: Account, api: Api, settings: SourceSettings): Promise<void>;
  };
  /** The language of the service's templates. */
  language: Language;
}
