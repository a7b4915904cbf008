import type { RequestView } from '@homeward/contract/handler'
import type { Operation } from '@homeward/contract'

/** The address that simulated clouds are called by: a name of this machine, so that a trial's sessions take it too. */
const cloudHost = 'localhost:3000'

/** What a request carries besides its operation. */
interface RequestParts {
  readonly headers: Readonly<Record<string, string>>
  readonly search?: string
  readonly body?: Uint8Array
  readonly signal: AbortSignal
}

/** A request as a handler reads it, without a network, a `Request` or a stream. */
export class DeviceRequest implements RequestView {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly origin = `http://${cloudHost}`
  readonly remoteAddress = '127.0.0.1'
  readonly signal: AbortSignal
  readonly #headers: Readonly<Record<string, string>>
  readonly #body: Uint8Array | undefined

  constructor({ method, path }: Pick<Operation, 'method' | 'path'>, parts: RequestParts) {
    this.method = method
    this.path = path
    this.search = parts.search ?? ''
    this.signal = parts.signal
    this.#headers = parts.headers
    this.#body = parts.body
  }

  header(name: string): string | undefined {
    if (name === 'host') return cloudHost
    if (name === 'content-type') return this.#body === undefined ? undefined : 'application/json'
    return this.#headers[name]
  }

  async *body(): AsyncGenerator<Uint8Array> {
    if (this.#body !== undefined) yield this.#body
  }

  async readBody(): Promise<Uint8Array> {
    return this.#body ?? new Uint8Array()
  }
}
