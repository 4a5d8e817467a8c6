import { cpus } from "node:os";
import { dim } from "../scripts/lib/screen.mjs";
import { benchSend } from "./send.mjs";

const { model } = cpus()[0];
console.log(dim(`${cpus().length} × ${model}, Node ${process.version}, local workerd`));
await benchSend();
