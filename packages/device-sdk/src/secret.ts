const hidden = '[secret]'

/**
 * Text that cannot be printed by accident: an API key.
 *
 * Template strings, `JSON.stringify`, `console.log`, `util.inspect` and `structuredClone` all miss the text;
 * only {@link Secret.reveal} gives it.
 *
 * @example
 * const apiKey = new Secret(process.env.DEVICE_API_KEY ?? '')
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return hidden
  }
}
