import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url).href);

/** An account that has everything but the secrets. It keeps how it was called, and what it was told to set. */
const wrangler = `
const { appendFileSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const args = process.argv.slice(2);
const said = args.join(" ");
appendFileSync(join(process.env.DOUBLE, "calls"), said + "\\n");
if (said.startsWith("whoami")) console.log('{"loggedIn":true,"accounts":[]}');
else if (said.startsWith("d1 list")) console.log('[{"name":"petrel"}]');
else if (said.startsWith("secret list")) console.log("[]");
else if (said === "secret bulk") appendFileSync(join(process.env.DOUBLE, "secrets"), readFileSync(0));
`;

it("hands new secrets to the Worker alone, and shows them once", () => {
  const home = mkdtempSync(join(tmpdir(), "petrel-deploy-test-"));
  try {
    const [checkout, double, temporary] = ["checkout", "double", "tmp"].map((name) => join(home, name));
    if (!checkout || !double || !temporary) throw new Error("No folders");
    for (const folder of [double, temporary, join(checkout, "node_modules", ".bin")])
      mkdirSync(folder, { recursive: true });
    cpSync(join(root, "scripts"), join(checkout, "scripts"), { recursive: true });
    cpSync(join(root, "wrangler.toml"), join(checkout, "wrangler.toml"));
    symlinkSync(join(root, "node_modules", "@scalar"), join(checkout, "node_modules", "@scalar"));
    for (const folder of [checkout, join(checkout, "node_modules")]) {
      const name = folder === checkout ? "package-lock.json" : ".package-lock.json";
      writeFileSync(join(folder, name), '{ "packages": {} }');
    }
    symlinkSync(process.execPath, join(checkout, "node_modules", ".bin", "node"));
    writeFileSync(join(checkout, "node_modules", ".bin", "wrangler"), wrangler);

    const output = execFileSync(process.execPath, [join(checkout, "scripts", "deploy.mjs"), "--sandbox"], {
      env: { ...process.env, DOUBLE: double, TMPDIR: temporary, NO_COLOR: "1" },
      encoding: "utf8",
    });
    const secrets: Record<string, string> = JSON.parse(readFileSync(join(double, "secrets"), "utf8"));
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(["ADMIN_TOKEN", "LINK_SECRETS"]));
    for (const value of Object.values(secrets)) expect(output.split(value)).toHaveLength(2);
    expect(output.match(/shown this once/g)).toHaveLength(1);
    const calls = readFileSync(join(double, "calls"), "utf8");
    expect(calls).not.toContain("--secrets-file");
    for (const value of Object.values(secrets)) expect(calls).not.toContain(value);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(double).toSorted()).toEqual(["calls", "secrets"]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
