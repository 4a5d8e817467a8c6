import type { z } from "zod";
import type { Notice } from "../../core/mail/notices/notice";
import type { Db } from "../../db/client";
import type { Blobs } from "../blobs";
import { parseSettings, unreadable } from "../settings";
import type { Mailer } from "./mailer";
import type { Reporter } from "./reporter";

/** The settings of a provider, and a function that reads them. */
interface ProviderSettings<Shape extends z.ZodRawShape, Settings> {
  /** Every setting that the provider reads; docs/settings.md explains them to operators. */
  settings: Shape;
  /** The settings without which the provider cannot send. */
  needs: readonly (keyof Shape & string)[];
  /** Returns null while one of `needs` is missing. */
  read(values: z.infer<z.ZodObject<Shape>>): Settings | null;
}

/** The manifest of a mail provider. Each provider has a folder, and an entry in `providers.ts`. */
interface Manifest<Shape extends z.ZodRawShape, Settings> extends ProviderSettings<Shape, Settings> {
  /** The provider's name in MAIL_PROVIDER, in `/hooks/{name}` and on email records. */
  name: string;
  open(settings: Settings, db: Db, blobs: Blobs): Mailer;
  /** Returns null without the settings that verify reports. */
  reporter(settings: Settings): Reporter | null;
  /** Reads an event that the provider puts into a queue; null for any other message. */
  readQueued?(event: unknown): Notice | null;
}

/** A provider that has its credentials. */
export interface ConfiguredProvider {
  name: string;
  open(db: Db, blobs: Blobs): Mailer;
  reporter: Reporter | null;
}

export interface Provider<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string;
  settings: Shape;
  needs: readonly string[];
  /** Returns null without the provider's credentials. Throws when a setting is malformed. */
  configure(env: object): ConfiguredProvider | null;
  readQueued: ((event: unknown) => Notice | null) | null;
  /** Throws when a credential is missing. `setting` is the setting that chose this provider. */
  require(env: object, setting: string): ConfiguredProvider;
}

/** Returns the settings unchanged. TypeScript infers their types from the call. */
export function defineSettings<Shape extends z.ZodRawShape, Settings>(
  settings: ProviderSettings<Shape, Settings>,
): ProviderSettings<Shape, Settings> {
  return settings;
}

export function defineProvider<Shape extends z.ZodRawShape, Settings>(
  manifest: Manifest<Shape, Settings>,
): Provider<Shape> {
  const { name, settings: shape, needs } = manifest;
  function configure(env: object): ConfiguredProvider | null {
    const settings = manifest.read(parseSettings(shape, env));
    if (settings === null) return null;
    return { name, open: (db, blobs) => manifest.open(settings, db, blobs), reporter: manifest.reporter(settings) };
  }
  function require(env: object, setting: string): ConfiguredProvider {
    const configured = configure(env);
    if (configured) return configured;
    throw unreadable(`${setting} is ${name}, which needs ${needs.join(", ")}`);
  }
  return { name, settings: shape, needs, configure, readQueued: manifest.readQueued ?? null, require };
}
