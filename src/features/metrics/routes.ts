import { z } from "zod";
import { operatorRoutes } from "../../http/routes";
import { metrics } from "./metrics";

/** `/admin/metrics`: the installation's figures for Prometheus. */
export const installationMetrics = operatorRoutes("Operator");

installationMetrics.get(
  "/admin/metrics",
  {
    id: "getMetrics",
    takesMonitorKey: true,
    summary: "Get the installation's metrics for Prometheus",
    description: `The text format of Prometheus, version 0.0.4, with some twenty metrics named \`petrel_*\`, in seconds and bytes.
They do not grow with the number of projects: apart from totals, only the twenty busiest projects are named, by their ids.
Takes the operator's token, or a key of kind \`monitor\`.`,
    ok: {
      schema: z.string(),
      mediaType: "text/plain",
      example:
        "# HELP petrel_projects Projects of the installation.\n# TYPE petrel_projects gauge\npetrel_projects 12\n",
    },
  },
  async (platform, _, c) =>
    c.text(await metrics(platform), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }),
);
