import type { z } from "zod";
import { Refusal } from "../command";

export interface ApiSettings {
  /** The name of the service, for messages. */
  name: string;
  /** Without a trailing slash. */
  baseUrl: string;
  headers: Record<string, string>;
  /** The environment variable with its key. */
  keyName: string;
  fetch?: typeof fetch;
}

const tries = 4;
const longestWaitSeconds = 60;

/** Reads another service's API, slowly when the service asks for that. Throws Refusal. */
export class Api {
  readonly #settings: ApiSettings;

  constructor(settings: ApiSettings) {
    this.#settings = settings;
  }

  async get<Schema extends z.ZodType>(schema: Schema, path: string, query: Query = {}): Promise<z.infer<Schema>> {
    return this.#read(schema, await this.#call("GET", path + searchOf(query)), path);
  }

  async post<Schema extends z.ZodType>(schema: Schema, path: string, body: unknown): Promise<z.infer<Schema>> {
    return this.#read(schema, await this.#call("POST", path, JSON.stringify(body)), path);
  }

  /** Returns a file at a separate address, which needs no key. */
  async download(url: string): Promise<Uint8Array> {
    const response = await this.#fetch(url);
    if (!response.ok) throw new Refusal(`${this.#settings.name} answered ${response.status} to the download of ${url}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  #read<Schema extends z.ZodType>(schema: Schema, answer: unknown, path: string): z.infer<Schema> {
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new Refusal(
      `${this.#settings.name} answered ${path} in a form that is not known here, at ${issue?.path.join(".") || "its top"}: ${issue?.message}`,
    );
  }

  async #fetch(url: string, init?: RequestInit): Promise<Response> {
    try {
      return await (this.#settings.fetch ?? fetch)(url, init);
    } catch (cause) {
      throw new Refusal(`${this.#settings.name} cannot be reached at ${url}`, { cause });
    }
  }

  async #call(method: string, path: string, body?: string): Promise<unknown> {
    const { baseUrl, headers, name, keyName } = this.#settings;
    const init = { method, headers: { ...headers, ...(body && { "Content-Type": "application/json" }) } };
    for (let left = tries - 1; ; left--) {
      const response = await this.#fetch(baseUrl + path, body ? { ...init, body } : init);
      if (response.ok) return response.json();
      const said = (await response.text()).slice(0, 300);
      const isForNow = response.status === 429 || response.status >= 500;
      const waitSeconds = Number(response.headers.get("Retry-After") ?? 1);
      if (!isForNow || left === 0 || !(waitSeconds <= longestWaitSeconds)) {
        const hint = response.status === 401 || response.status === 403 ? `. Is ${keyName} right?` : "";
        throw new Refusal(`${name} answered ${response.status} to ${method} ${path}${hint}\n  ${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
    }
  }
}

type Query = Record<string, string | number | undefined>;

function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** Goes through a list whose pages are requested by offset. */
export async function* byOffset<Item>(size: number, page: (offset: number) => Promise<Item[]>): AsyncGenerator<Item> {
  for (let offset = 0; ; offset += size) {
    const items = await page(offset);
    yield* items;
    if (items.length < size) return;
  }
}
