// The entry point of every script, on any Node of the machine. This file and its callers only use syntax and modules
// that Node 12 can load; everything newer is imported after the check.
const OLDEST_NODE = 20;

export function begin(load) {
  if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
    end(
      `Petrel needs Node ${OLDEST_NODE} or newer, and this is ${process.version}: install a newer Node and run it again.`,
    );
  } else if (process.platform === "win32") {
    end("Petrel's scripts run on Linux and macOS: on Windows, run them inside WSL.");
  } else {
    load()
      .then((command) => command.main(process.argv.slice(2)))
      .then(
        (code) => process.exit(code || 0),
        (error) => end(error.constructor.name === "Failure" ? error.message : error.stack),
      );
  }
}

function end(message) {
  console.error(message);
  process.exit(1);
}
