// Preloaded into `wrangler dev`. Its stdin is a pipe from `npm start`, which closes when that process is gone, however it
// went: even after a `kill -9`, nothing of this process group stays behind.
process.stdin.on("end", () => process.kill(0, "SIGTERM"));
process.stdin.resume();
process.stdin.unref();
