import { operatorRoutes } from "../../http/routes";
import { health } from "./examine";
import { HealthAnswer } from "./schema";

/** `/admin/health`: what is wrong with the installation, and what mends it. */
export const installationHealth = operatorRoutes("Operator");

installationHealth.get(
  "/admin/health",
  {
    id: "getHealth",
    takesMonitorKey: true,
    summary: "HealthCheck the installation",
    description: `Each check says what it found and what mends it. The answer is 200 also when a check fails, and comes within two
seconds: a check that takes longer is \`fail\`. It names no person, no address and no secret, except sender domains and ids
of projects. Takes the operator's token, or a key of kind \`monitor\`.`,
    ok: HealthAnswer,
  },
  (platform) => health(platform),
);
