import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "./failure.mjs";
import { ROOT } from "./paths.mjs";

/** Runs the script of `npm start` as a user would, and reads its output. */
export function startPetrel(environment) {
  const child = spawn(process.execPath, [join(ROOT, "scripts", "start.mjs")], {
    env: { ...process.env, NO_COLOR: "1", HOST: "127.0.0.1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = [];
  const ended = new Promise((resolve) => child.on("close", resolve));
  const ready = new Promise((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => {
        said.push(line);
        if (line.includes("Ctrl-C")) resolve(readWelcome(said.join("\n")));
      });
    }
    ended.then(() => reject(new Failure(`npm start ended before it was ready:\n\n${said.join("\n")}`)));
  });
  return { pid: child.pid, ready, ended, stop: () => child.kill("SIGINT"), kill: () => child.kill("SIGKILL") };
}

function readWelcome(text) {
  const [, base] = text.match(/API\s+(\S+)/);
  const [, secretKey] = text.match(/(sk_[0-9a-f]{64})/);
  const [curlLine] = text.match(/^curl [\s\S]+?\}'$/m);
  return { base, secretKey, curlLine };
}
