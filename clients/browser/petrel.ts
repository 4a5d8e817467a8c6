// The snippet that web pages load. Each event is an entry of the local storage until the service has answered it: closed
// tabs, lost connections and crashes lose none. The entry's name is the event's idempotency key, so that none counts twice.

type Fields = Record<string, unknown>;

interface Subscription {
  email: string;
  /** Ask for a click in a mail: double opt-in. */
  confirm?: boolean;
  data?: Fields;
}

interface Answer {
  success: boolean;
  data?: { confirmation?: string };
  error?: { details?: { originalStatusCode?: number | null; originalResponse?: Answer } };
}

type Run = (method: string, ...given: never[]) => void;

declare global {
  interface Navigator {
    globalPrivacyControl?: boolean;
  }
  interface Window {
    petrel?: Run & { q?: [string, ...never[]][] };
  }
}

// A script that runs while the page loads it has its own element.
const { src, dataset } = document.currentScript as HTMLScriptElement;
const address = new URL("/v1/track", src);
const batchMs = 500;
const retryMs = 1e4;
const dayMs = 864e5;

const isOptedOut = navigator.doNotTrack === "1" || navigator.globalPrivacyControl;

let store: Record<string, string> = {};
let email: string | undefined;
try {
  store = localStorage;
  [email] = JSON.parse(store.petrel as string);
} catch {
  // The page has no storage: its events live as long as it does. Or nobody is known, or another script wrote there.
}

let timer = 0;
let sending = Promise.resolve();
let count = 0;
const answered: Record<string, (answer: Answer) => void> = {};

function put(name: string, text: string) {
  try {
    store[name] = text;
  } catch {
    // The storage is full.
    store = { [name]: text };
  }
}

/** Adds an event. Its name begins with a time of its own, so that events keep their order. */
function add(fields: Fields) {
  const id = `petrel:${Date.now() + count++ / 1e3}-${Math.random()}`;
  put(id, JSON.stringify(fields));
  sendIn(batchMs);
  return id;
}

function sendIn(ms: number) {
  timer = timer || setTimeout(send, ms);
}

const methods: Record<string, (...given: never[]) => void> = {
  /** Remembers who this is, and tells the service when that is news. */
  identify(to?: string, data?: Fields) {
    email = to;
    const person = JSON.stringify([to, data]);
    if (isOptedOut || person === store.petrel) return;
    put("petrel", person);
    if (to) add({ event: "identified", data });
  },

  /** The event of somebody who is not known yet waits for `identify`. */
  track(event: string, data?: Fields) {
    if (!isOptedOut) add({ event, data });
  },

  /** Asks for mail, which a person may do whatever the browser says about tracking. `show` gets the answer as a text. */
  subscribe({ email, confirm, data }: Subscription, show?: (text: string | undefined, state: string) => void) {
    const id = add({ event: "subscribe", email, data, [confirm ? "confirm" : "subscribed"]: true });
    answered[id] = ({ success, data }) => {
      // The answer to an event that was sent before may leave out what the service knows.
      const state = success ? (data?.confirmation ?? (confirm ? "sent" : "subscribed")) : "failed";
      show?.(texts[state], state);
    };
  },
};

const texts: Record<string, string> = {
  sent: "Click the link in our mail.",
  already: "You are subscribed already.",
  throttled: "Try again in an hour.",
  subscribed: "You are subscribed.",
  failed: "That did not work.",
};

/** Goes through the events that can be sent, and drops those whose key the service may have forgotten. */
async function each(deliver: (body: string, id: string) => unknown) {
  for (const id of Object.keys(store).sort()) {
    const at = id.split("petrel:")[1];
    if (!at) continue;
    // Times of equal length compare as texts.
    if (at < `${Date.now() - dayMs}`) delete store[id];
    let fields: Fields;
    try {
      fields = { email, ...JSON.parse(store[id] as string) };
    } catch {
      // It is gone by now, or is not ours.
      continue;
    }
    if (fields.email) {
      put(id, JSON.stringify(fields));
      await deliver(JSON.stringify({ key: dataset.key, idempotencyKey: id, ...fields }), id);
    }
  }
}

/** Sends the waiting events one by one. It tries again after a while, or when the browser is online again. */
function send() {
  timer = 0;
  sending = sending
    .then(() =>
      each(async (body, id) => {
        // A text needs no preflight, and `keepalive` outlives the page.
        const response = await fetch(address, { method: "POST", body, keepalive: true });
        const answer: Answer = await response.json();
        const { originalStatusCode, originalResponse: first = answer } = answer.error?.details ?? {};
        // The service may answer otherwise later, or is still at work on an attempt before this one.
        if (/^5|408|429/.test(`${response.status}`) || originalStatusCode === null) throw answer;
        delete store[id];
        answered[id]?.(first);
      }),
    )
    .catch(() => sendIn(retryMs));
}

const run: Run = (method, ...given) => methods[method]?.(...given);
for (const call of window.petrel?.q ?? []) run(...call);
window.petrel = run;
addEventListener("online", send);
// Waiting events are sent while the page goes, and stay in the storage: the next page finds out whether they arrived.
addEventListener("pagehide", () => each((body) => navigator.sendBeacon(address, body)));
send();
