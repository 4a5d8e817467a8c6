import { exports } from "cloudflare:workers";
import { publicId } from "../../src/core/ids";
import { startImport } from "../../src/features/contacts/import/start";
import type { Answer, TestProject } from "./project";
import { World } from "./world";

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

/** Posts a form to the import, as a browser would; or a body that is none. */
export async function postImport(
  project: TestProject,
  body: FormData | string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  query = "",
): Promise<Answer> {
  const response = await exports.default.fetch(`https://petrel.example/contacts/import${query}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${project.keys.secret}`, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function formWith(csv: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new File([csv], "contacts.csv", { type: "text/csv" }));
  return form;
}

/** Imports a file with the queue of a world, and returns the job as a caller sees it. */
export async function importCsv(
  project: TestProject,
  csv: string | Uint8Array<ArrayBuffer>,
  world = new World(),
  asked: Parameters<typeof startImport>[2] = {},
) {
  const { ctx } = await world.context(project);
  const jobId = await startImport(ctx, typeof csv === "string" ? utf8(csv) : csv, asked);
  await world.drain();
  return (await project.api.get(`/contacts/import/${publicId(jobId)}`)).body;
}
