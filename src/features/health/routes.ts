import { operatorRoutes } from "../../http/routes";
import { health } from "./examine";
import { HealthAnswer } from "./schema";

/** `/admin/health`: problems of the installation, and how to fix them. */
export const installationHealth = operatorRoutes("Operator");

installationHealth.get(
  "/admin/health",
  {
    id: "getHealth",
    takesMonitorKey: true,
    summary: "Check the installation",
    description: `Each check says what it found and how to fix it. The answer is 200 even when a check fails, and comes within two
seconds: a check that takes longer is \`fail\`. It names no person, no address and no secret, except sender domains and ids
of projects. Takes the operator's token, or a key of kind \`monitor\`.`,
    ok: HealthAnswer,
  },
  (platform) => health(platform),
);
