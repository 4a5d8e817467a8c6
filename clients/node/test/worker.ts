import { runChecks } from "./checks.js";
import type { World } from "./product.js";

/** The same checks for `workerd test`. */
export default {
  test: async (_: unknown, world: World) => console.log(JSON.stringify(await runChecks(world))),
};
