import { runChecks } from "./checks.js";

// node run.js <base URL> <operator's token>
const [, , baseUrl = "", adminToken = ""] = process.argv;
console.log(JSON.stringify(await runChecks({ baseUrl, adminToken })));
