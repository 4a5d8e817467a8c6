import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";

/** Node compresses with the best quality. It takes seconds, so this happens once, when the files are made. */
const compress = promisify(brotliCompress);

/** Puts a compressed copy beside each file of the console: an eighth less travels than with what Cloudflare compresses itself. */
export function compressed() {
  return {
    name: "petrel: compressed copies",
    apply: "build",
    async writeBundle({ dir }, bundle) {
      await Promise.all(
        Object.keys(bundle)
          .filter((file) => /\.(js|css)$/.test(file))
          .map(async (file) => writeFileSync(join(dir, `${file}.br`), await compress(readFileSync(join(dir, file))))),
      );
    },
  };
}
