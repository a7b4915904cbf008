const hidden = '[secret]'

/**
 * A text that cannot be printed by accident, such as an API key.
 *
 * Template strings, `JSON.stringify`, `console.log`, `util.inspect` and `structuredClone` do not show the text. Only
 * {@link Secret.reveal} returns it.
 *
 * @example
 * const apiKey = new Secret(process.env.DEVICE_API_KEY ?? '')
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the text. */
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
