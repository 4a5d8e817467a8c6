import { cpus } from "node:os";
import { dim } from "../scripts/lib/screen.mjs";
import { benchRoutes } from "./routes.mjs";

const { model } = cpus()[0];
console.log(dim(`${cpus().length} × ${model}, Node ${process.version}, local workerd`));
await benchRoutes();
