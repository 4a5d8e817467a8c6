// The snippet that web pages load. Each event stays in the local storage until the service has answered it, so closed
// tabs, lost connections and crashes lose no event. The name of its entry is its idempotency key, so no event counts
// twice.

type Fields = Record<string, unknown>;

/** An event as it is stored and sent. */
interface Kept extends Fields {
  /** The name of the event's entry in the storage. */
  idempotencyKey: string;
}

interface Subscription {
  email: string;
  /** Ask the person to confirm by a click in an email: double opt-in. */
  confirm?: boolean;
  data?: Fields;
}

interface Answer {
  success: boolean;
  data?: { confirmation?: string; answers?: { retry: boolean; body: Answer }[] };
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

// The current script is this one only while the page loads it.
const { src, dataset } = document.currentScript as HTMLScriptElement;
const address = new URL("/v1/track/batch", src);

const isOptedOut = navigator.doNotTrack === "1" || navigator.globalPrivacyControl;

let store: Record<string, string> = {};
let email: string | undefined;
try {
  store = localStorage;
  [email] = JSON.parse(store.petrel as string);
} catch {
  // The page has no storage, so its events live as long as the page. Or the person is unknown, or another script has
  // changed the entry.
}

let timer = 0;
let sending: Promise<unknown> = Promise.resolve();
let count = 0;
const answered: Record<string, (answer: Answer) => void> = {};

function put(name: string, text: string) {
  try {
    store[name] = text;
  } catch {
    // The storage is full, so entries stay in memory from now on.
    store = { [name]: text };
  }
}

/** Adds an event. Its name begins with a unique time, so that names sort in the order of the events. */
function add(fields: Fields) {
  const id = `petrel:${Date.now() + count++ / 1e3}-${Math.random()}`;
  put(id, JSON.stringify(fields));
  sendIn(500);
  return id;
}

function sendIn(ms: number) {
  timer = timer || setTimeout(send, ms);
}

const methods: Record<string, (...given: never[]) => void> = {
  /** Stores who the person is, and informs the service if that has changed. */
  identify(to?: string, data?: Fields) {
    email = to;
    const person = JSON.stringify([to, data]);
    if (isOptedOut || person === store.petrel) return;
    put("petrel", person);
    if (to) add({ event: "identified", data });
  },

  /** An event of an unknown person waits for `identify`. */
  track(event: string, data?: Fields) {
    if (!isOptedOut) add({ event, data });
  },

  /**
   * Subscribes a person to mail, whatever the browser's setting for tracking is. `show` is called with the answer as a
   * text.
   */
  subscribe({ email, confirm, data }: Subscription, show?: (text: string | undefined, state: string) => void) {
    const id = add({ event: "subscribe", email, data, [confirm ? "confirm" : "subscribed"]: true });
    answered[id] = ({ success, data }) => {
      // An answer may have no `confirmation`, for example when the event was sent before. The state then follows from
      // the request.
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

/**
 * Delivers the oldest events that can be sent. Drops events older than a day, because the service may have forgotten
 * their keys. An event has at least 90 letters, so the limit on the length allows at most the 20 events that the
 * service takes. The length is also within the browser's limit for a page that is being left.
 */
function each(deliver: (body: string, events: Kept[]) => unknown) {
  const events: Kept[] = [];
  let length = 0;
  for (const id of Object.keys(store).sort()) {
    try {
      const at = id.split("petrel:")[1] as string;
      // Times of equal length compare as texts.
      if (at < `${Date.now() - 864e5}`) delete store[id];
      const fields: Kept = { email, ...JSON.parse(store[id] as string), idempotencyKey: id };
      if (at && fields.email && length < 1700) {
        put(id, JSON.stringify(fields));
        length += (store[id] as string).length;
        events.push(fields);
      }
    } catch {
      // The entry is gone by now, or is not ours.
    }
  }
  return events[0] && deliver(JSON.stringify({ key: dataset.key, events }), events);
}

/** Sends the waiting events in batches. It tries again after a while, or when the browser is online again. */
function send() {
  timer = 0;
  sending = sending
    .then(() =>
      each(async (body, events) => {
        // A body of plain text needs no CORS preflight, and `keepalive` lets the request outlive the page.
        const response = await fetch(address, { method: "POST", body, keepalive: true });
        const whole: Answer = await response.json();
        for (const { idempotencyKey: id } of events) {
          // A refusal of the whole batch is a refusal of each event. Only a refusal of the key is final.
          const answer = whole.data?.answers?.shift() ?? { body: whole, retry: response.status !== 401 };
          if (answer.retry) throw whole;
          delete store[id];
          answered[id]?.(answer.body);
        }
        send();
      }),
    )
    .catch(() => sendIn(1e4));
}

const run: Run = (method, ...given) => methods[method]?.(...given);
for (const call of window.petrel?.q ?? []) run(...call);
window.petrel = run;
addEventListener("online", send);
// Waiting events are sent while the page is being left, and stay in the storage: the next page finds out whether they
// arrived.
addEventListener("pagehide", () => each((body) => navigator.sendBeacon(address, body)));
send();
