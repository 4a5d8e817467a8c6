import { call, newProject } from "./api.mjs";
import { startBenchWorker } from "./worker.mjs";

/**
 * Makes a project for each name while nothing is measured, with everything that `furnish` creates in it and returns.
 */
export async function makeProjects(bench, names, furnish = async () => {}) {
  const made = {};
  const worker = await startBenchWorker("src/index.ts", bench);
  try {
    for (const name of names) {
      const project = await newProject(worker, bench.adminToken);
      const post = (path, body) => call(`${worker.base}${path}`, project.secret, body);
      made[name] = { ...project, ...(await furnish(post, name)) };
    }
  } finally {
    await worker.stop();
  }
  return made;
}
