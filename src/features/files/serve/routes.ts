import { filePath, readFileToken } from "../../../core/files/address";
import { readImage } from "../../../core/files/image";
import { open } from "../../../http/policy";
import { createRouter } from "../../../http/router";
import { keyOfFile } from "../file";

/** Serves uploaded files. A token leads to the bytes without the database, so no row is read for a mail that is opened. */
export const servedFiles = createRouter();

const yearSeconds = 31_536_000;

servedFiles.get(`${filePath}:token`, open, async (c) => {
  const address = readFileToken(c.req.param("token"));
  const content = address && (await c.var.platform.blobs.get(keyOfFile(address)));
  const image = content && readImage(content);
  if (!content || !image) return c.text("There is no such file.", 404);
  c.header("Content-Type", image.type);
  c.header("Cache-Control", `public, max-age=${yearSeconds}, immutable`);
  // A browser that is led to the file as a page runs nothing of it.
  c.header("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return c.body(content.slice().buffer, 200);
});
