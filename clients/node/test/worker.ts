import { runChecks } from "./checks.js";
import type { World } from "./product.js";

/** Runs the checks in `workerd test`. */
export default {
  test: async (_: unknown, world: World) => console.log(JSON.stringify(await runChecks(world))),
};
