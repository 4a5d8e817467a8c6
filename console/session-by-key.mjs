const usualBase = "http://localhost:8080";

/**
 * Sets up Vite's development server in front of a running Petrel, with a secret key from the environment in place of a
 * session. The key reaches neither the browser nor the build.
 *
 *     PETREL_KEY=sk_… npx vite console
 */
export function sessionByKey({ PETREL_KEY: key, PETREL_BASE: base = usualBase }) {
  return {
    name: "petrel: a session by a key",
    apply: "serve",
    config: () => ({ server: { proxy: proxyTo(base, key) } }),
    configureServer({ middlewares }) {
      middlewares.use("/console/me", async (_, answer) => {
        const { status, body } = await meOf(base, key);
        answer.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      });
    },
  };
}

/** Everything except the pages and their modules is the API. */
function proxyTo(base, key) {
  const rule = { target: base, headers: { Authorization: `Bearer ${key}` } };
  return { "^/(?!console(/|$)|@|node_modules|src|favicon)": rule, "^/console/preview": { target: base } };
}

async function meOf(base, key) {
  const answer = await fetch(`${base}/me`, { headers: { Authorization: `Bearer ${key}` } });
  if (!answer.ok) return { status: answer.status, body: await answer.json() };
  const { project } = await answer.json();
  const person = { id: "key", email: "PETREL_KEY", name: null, locale: null, createdAt: new Date().toISOString() };
  return { status: 200, body: { person, isOwner: true, projects: [{ ...project, role: "admin", maySend: true }] } };
}
