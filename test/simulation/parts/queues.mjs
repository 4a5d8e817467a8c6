/** All queues. Messages wait for their delay, and are given to the consumer in batches, until each is acknowledged. */
export class Queues {
  #waiting = [];
  #nextId = 1;

  constructor({ time, random, faults, consume, maxRetries }) {
    Object.assign(this, { time, random, faults, consume, maxRetries });
  }

  producer(queue) {
    return {
      sendBatch: async (messages) => {
        for (const { body, delaySeconds = 0 } of messages) {
          for (const lateMs of this.faults.ofMessage())
            this.#add(queue, structuredClone(body), delaySeconds * 1_000 + lateMs, 1);
        }
      },
    };
  }

  #add(queue, body, delayMs, attempts) {
    const message = { id: String(this.#nextId++), body, attempts };
    this.#waiting.push(message);
    this.time.set(() => this.#deliver(queue, message), delayMs + this.random() * 50);
  }

  async #deliver(queue, waiting) {
    let isOver = false;
    let delay = 0;
    const message = {
      ...{ id: waiting.id, timestamp: new Date(), body: structuredClone(waiting.body), attempts: waiting.attempts },
      ack: () => {
        isOver = true;
      },
      retry: ({ delaySeconds = 0 } = {}) => {
        isOver = false;
        delay = delaySeconds;
      },
    };
    try {
      await this.consume({ queue, messages: [message] });
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      if (!isOver && waiting.attempts <= this.maxRetries)
        this.#add(queue, waiting.body, delay * 1_000, waiting.attempts + 1);
    }
  }

  get size() {
    return this.#waiting.length;
  }
}
