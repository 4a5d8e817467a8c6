// Preloaded into `wrangler dev`. Its stdin is a pipe from `npm start`, which closes when that process ends in any way.
// So even after a `kill -9`, nothing of this process group remains.
process.stdin.on("end", () => process.kill(0, "SIGTERM"));
process.stdin.resume();
process.stdin.unref();
