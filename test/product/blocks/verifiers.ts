import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { newWebhookSecret, signedHeaders } from "../../../src/core/webhooks/signature";
import type { Block } from "./read";
import { verifierFiles } from "./steps";

interface Language {
  /** Says whether its tools are installed, by asking for their version. */
  version: [program: string, argument: string];
  /** Prints a JSON list of what the verifier says of each case in cases.json. */
  main: [file: string, code: string];
  run: string[];
}

const languages: Record<string, Language> = {
  js: {
    version: ["node", "--version"],
    main: [
      "main.mjs",
      `import { readFileSync } from "node:fs";
import { isFromPetrel } from "./verifier.mjs";
const cases = JSON.parse(readFileSync("cases.json", "utf8"));
console.log(JSON.stringify(cases.map(({ headers, body, secret }) => isFromPetrel(headers, body, secret))));`,
    ],
    run: ["node", "main.mjs"],
  },
  python: {
    version: ["python3", "--version"],
    main: [
      "main.py",
      `import json
from verifier import is_from_petrel
cases = json.load(open("cases.json"))
print(json.dumps([is_from_petrel(one["headers"], one["body"].encode(), one["secret"]) for one in cases]))`,
    ],
    run: ["python3", "main.py"],
  },
  go: {
    version: ["go", "version"],
    main: [
      "main.go",
      `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Headers      map[string]string
		Body, Secret string
	}
	file, _ := os.ReadFile("cases.json")
	json.Unmarshal(file, &cases)
	said := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		said = append(said, IsFromPetrel(header, []byte(one.Body), one.Secret))
	}
	answer, _ := json.Marshal(said)
	fmt.Println(string(answer))
}`,
    ],
    run: ["go", "run", "verifier.go", "main.go"],
  },
  php: {
    version: ["php", "--version"],
    main: [
      "main.php",
      `<?php
require "verifier.php";
$cases = json_decode(file_get_contents("cases.json"), true);
$said = array_map(fn($one) => isFromPetrel($one["headers"], $one["body"], $one["secret"]), $cases);
echo json_encode($said);`,
    ],
    run: ["php", "main.php"],
  },
};

export function isInstalled(language: string): boolean {
  const [program, argument] = languages[language]?.version ?? ["", ""];
  return spawnSync(program, [argument]).status === 0;
}

/** Lets a verifier judge calls that the product has signed, and calls that it has not. Returns what it says and what is right. */
export async function judge({ language, code }: Block): Promise<{ said: boolean[]; right: boolean[] }> {
  const known = languages[language];
  const file = verifierFiles[language];
  if (!known || !file) throw new Error(`Nobody knows how to run a verifier in ${language}`);
  const folder = mkdtempSync(join(tmpdir(), "petrel-verifier-"));
  try {
    const cases = await callsToJudge();
    writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
    writeFileSync(join(folder, file), code);
    writeFileSync(join(folder, known.main[0]), known.main[1]);
    const [program = "", ...args] = known.run;
    const { stdout } = await promisify(execFile)(program, args, { cwd: folder });
    return { said: JSON.parse(stdout), right: cases.map(({ isOurs }) => isOurs) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function callsToJudge() {
  const [secret, next] = [newWebhookSecret(), newWebhookSecret()];
  const body = JSON.stringify({ type: "email.delivered", data: { subject: "Grüße" } });
  const signed = (secrets: string[], at = Date.now()) => signedHeaders(secrets, { id: "1", at, body });
  const fresh = await signed([secret]);
  return [
    { isOurs: true, headers: fresh, body, secret },
    { isOurs: true, headers: await signed([next, secret]), body, secret },
    { isOurs: false, headers: fresh, body: `${body} `, secret },
    { isOurs: false, headers: fresh, body, secret: next },
    { isOurs: false, headers: await signed([secret], Date.now() - 3_600_000), body, secret },
    { isOurs: false, headers: { ...fresh, "webhook-signature": "v1,AAAA" }, body, secret },
    { isOurs: false, headers: { ...fresh, "webhook-timestamp": "soon" }, body, secret },
  ];
}
