import { filePath, readFileToken } from "../../../core/files/address";
import { readImage } from "../../../core/files/image";
import { open } from "../../../http/policy";
import { createRouter } from "../../../http/router";
import { keyOfFile } from "../file";

/** Serves uploaded files. The token alone leads to the bytes, so opening an email reads no row of the database. */
export const servedFiles = createRouter();

const yearSeconds = 31_536_000;

servedFiles.get(`${filePath}:token`, open, async (c) => {
  const address = readFileToken(c.req.param("token"));
  const content = address && (await c.var.platform.blobs.get(keyOfFile(address)));
  const image = content && readImage(content);
  if (!content || !image) return c.text("There is no such file.", 404);
  c.header("Content-Type", image.type);
  c.header("Cache-Control", `public, max-age=${yearSeconds}, immutable`);
  // A browser that opens the file as a page must not run scripts in it.
  c.header("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return c.body(content.slice().buffer, 200);
});
