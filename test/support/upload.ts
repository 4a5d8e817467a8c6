import { env, exports } from "cloudflare:workers";
import { png } from "./images";
import { type Answer, bearer, call, type TestProject } from "./project";

export function formOf(bytes: Uint8Array<ArrayBuffer>, name = "logo.png"): FormData {
  const form = new FormData();
  form.append("file", new File([bytes], name, { type: "text/html" }));
  return form;
}

/** Posts a form to the files, as a browser would. */
export async function postFile({ keys }: TestProject, body: FormData = formOf(png)): Promise<Answer> {
  const headers = { Authorization: `Bearer ${keys.secret}` };
  const response = await exports.default.fetch("https://petrel.example/files", { method: "POST", headers, body });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Uploads a file of a backup. */
export function putFile(upload: string, name: string, content: string | Uint8Array<ArrayBuffer>, sha256?: string) {
  const query = new URLSearchParams({ name, ...(sha256 && { sha256 }) });
  return call("PUT", `/admin/backups/${upload}/file?${query}`, content, bearer(env.ADMIN_TOKEN ?? ""));
}
