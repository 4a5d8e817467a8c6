/**
 * All queues. Messages wait for their delay, and are given to a consumer in batches, until each is acknowledged or has
 * gone to its dead letters.
 */
export class Queues {
  #waiting = new Set();
  #ready = new Map();
  #nextId = 1;

  /** `consumers`: those of wrangler.toml. `consume` handles a batch. */
  constructor({ time, random, faults, trip, boundary, consume, consumers, limits }) {
    Object.assign(this, { time, random, faults, trip, boundary, consume, limits });
    this.consumers = new Map(consumers.map((consumer) => [consumer.queue, consumer]));
  }

  producer(queue) {
    return {
      sendBatch: (messages) => {
        const sent = structuredClone(messages);
        this.limits.checkMessages(sent);
        const add = async () => {
          await this.trip();
          for (const { body, delaySeconds = 0 } of sent) {
            for (const lateMs of this.faults.ofMessage()) this.#add(queue, body, delaySeconds * 1_000 + lateMs, 1);
          }
        };
        return this.boundary(add, { isMessage: true });
      },
    };
  }

  /** The messages that nobody has acknowledged yet. */
  get waiting() {
    return [...this.#waiting];
  }

  #add(queue, body, delayMs, attempts) {
    const message = { id: String(this.#nextId++), queue, body, attempts };
    this.#waiting.add(message);
    this.time.set(() => this.#arrive(message), delayMs + this.random() * 50);
  }

  /** What arrives within the same few milliseconds is one batch. */
  #arrive(message) {
    const ready = this.#ready.get(message.queue);
    if (ready) return void ready.push(message);
    this.#ready.set(message.queue, [message]);
    this.time.set(() => {
      const messages = this.#ready.get(message.queue);
      this.#ready.delete(message.queue);
      const size = this.consumers.get(message.queue)?.max_batch_size ?? 10;
      while (messages.length > 0) this.#deliver(message.queue, messages.splice(0, size));
    }, this.random() * 10);
  }

  async #deliver(queue, waiting) {
    const marks = new Map();
    const messages = waiting.map((message) => ({
      ...{ id: message.id, timestamp: new Date(this.time.now), body: structuredClone(message.body) },
      attempts: message.attempts,
      // The first call counts.
      ack: () => void (marks.has(message) || marks.set(message, { isOver: true })),
      retry: ({ delaySeconds = 0 } = {}) =>
        void (marks.has(message) || marks.set(message, { isOver: false, delayMs: delaySeconds * 1_000 })),
    }));
    let isReturned = true;
    try {
      await this.consume({ queue, messages });
    } catch {
      isReturned = false;
    }
    for (const message of waiting) {
      this.#waiting.delete(message);
      const { isOver, delayMs = 0 } = marks.get(message) ?? { isOver: isReturned };
      if (!isOver) this.#again(message, delayMs);
    }
  }

  #again({ queue, body, attempts }, delayMs) {
    const { max_retries: most = 3, dead_letter_queue: dead } = this.consumers.get(queue) ?? {};
    if (attempts <= most) this.#add(queue, body, delayMs, attempts + 1);
    else if (dead) this.#add(dead, body, 0, 1);
  }
}
