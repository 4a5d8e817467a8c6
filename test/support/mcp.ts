import { exports } from "cloudflare:workers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";

type Era = "legacy" | "auto";

export interface Tools {
  client: Client;
  names(): Promise<string[]>;
  /** Calls a tool, and returns what it answered, whether an answer or a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back, and fail where it is not there
  call(name: string, given?: Record<string, unknown>): Promise<any>;
}

/** Connects to `/mcp` with the SDK's own client, by the newest revision of the protocol unless the era says otherwise. */
export async function openTools(key: string, era: Era = "auto"): Promise<Tools> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  const transport = new StreamableHTTPClientTransport(new URL("https://petrel.example/mcp"), {
    fetch: (url, init) => exports.default.fetch(new Request(url, init as RequestInit)),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
      // What older clients read is the same.
      const [text] = content;
      expect(text).toEqual({ type: "text", text: JSON.stringify(structuredContent) });
      expect(Object.hasOwn(structuredContent ?? {}, "error")).toBe(isError === true);
      return structuredContent;
    },
  };
}
