/** Makes one call of the API. A form is sent unchanged. Throws on a refusal. */
export async function call(url, token, body, method = body === undefined ? "GET" : "POST") {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(isForm ? {} : { "Content-Type": "application/json" }) },
    body: body === undefined || isForm ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

export async function newProject({ base }, adminToken) {
  const { project, keys } = await call(`${base}/admin/projects`, adminToken, { name: "Bench" });
  return { id: project.id, ...keys };
}
