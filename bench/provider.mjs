import { createServer } from "node:http";

/**
 * Starts a mail provider that accepts every email at once, by the API of Postmark or SES. `onMails` is called with the
 * emails of each call to Postmark, whose answer waits for its result.
 */
export async function startProvider({ onMails = () => {} } = {}) {
  let taken = 0;
  const accepted = () => {
    taken += 1;
    return { MessageId: `bench-${taken}`, MessageID: `bench-${taken}`, ErrorCode: 0, Message: "OK" };
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      // A question about earlier mail, which stays unknown.
      if (request.method === "GET") return response.writeHead(503).end();
      const isBatch = request.url.endsWith("/batch");
      const body = JSON.parse(Buffer.concat(chunks));
      const mails = isBatch ? body : [body];
      await onMails(mails);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(isBatch ? mails.map(accepted) : accepted()));
    });
  });
  // A connection that is closed just as it is used again would leave mail with an unknown outcome.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${server.address().port}`;
  return {
    settings: {
      ...{ POSTMARK_SERVER_TOKEN: "bench", POSTMARK_BROADCAST_STREAM: "broadcast", POSTMARK_ENDPOINT: endpoint },
      ...{
        SES_ENDPOINT: endpoint,
        SES_REGION: "eu-west-1",
        SES_ACCESS_KEY_ID: "bench",
        SES_SECRET_ACCESS_KEY: "bench",
      },
    },
    close: () => server.close(),
  };
}
