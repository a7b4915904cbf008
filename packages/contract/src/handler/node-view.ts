import { gatherBytes, type GatheredBytes } from '@homeward/kit'
import { pathBelow } from './fetch-handler.ts'
import type { NodeRequest, NodeResponse } from './node-exchange.ts'
import type { RequestView } from './request-view.ts'

/**
 * What a handler reads of a request of `node:http`. Nothing comes from Node: the module loads anywhere.
 *
 * A class, for speed: one is made for each request, and its accessors are shared.
 */
export class NodeRequestView implements RequestView {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly #request: NodeRequest
  readonly #response: NodeResponse
  #abort: AbortController | undefined

  constructor(request: NodeRequest, response: NodeResponse, basePath = '') {
    // Express and its kind cut the path of `app.use(path, …)` off, and say here what came
    const url = basePath === '' ? request.url : (request.originalUrl ?? request.url)
    const target = toOriginForm(url ?? '/')
    const mark = target.indexOf('?')
    this.method = request.method ?? 'GET'
    this.path = pathBelow(basePath, mark < 0 ? target : target.slice(0, mark))
    this.search = mark < 0 ? '' : target.slice(mark + 1)
    this.#request = request
    this.#response = response
  }

  get origin(): string {
    const { socket, headers } = this.#request
    // Only a socket with TLS has it on Node; on Bun every socket does.
    const isEncrypted = 'encrypted' in socket && socket.encrypted === true
    return `${isEncrypted ? 'https' : 'http'}://${headers.host ?? 'localhost'}`
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get signal(): AbortSignal {
    this.#abort ??= this.#createAbort()
    return this.#abort.signal
  }

  get isRead(): boolean {
    const { headers, readableEnded } = this.#request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    return hasBody && readableEnded
  }

  header(name: string): string | undefined {
    const { headers, rawHeaders } = this.#request
    const value = headers[name]
    if (Array.isArray(value)) return value.join(', ')
    return (firstOnly.test(name) && joinRepeated(rawHeaders, name)) || value
  }

  body(): AsyncIterable<Uint8Array> {
    return iterate(this.#request)
  }

  readBody(maxBytes: number): Promise<Uint8Array | undefined> {
    return collect(this.#request, maxBytes)
  }

  #createAbort(): AbortController {
    const controller = new AbortController()
    const response = this.#response
    const { socket } = this.#request
    const abort = () => controller.abort(new Error('The client disconnected'))
    if (response.destroyed || socket.readableEnded) abort()
    else {
      // Of one that sends no more only an answer tells whether it is gone, where a server allows half-open connections.
      socket.once?.('end', abort)
      response.once('close', () => {
        socket.off?.('end', abort)
        if (!response.writableFinished) abort()
      })
    }
    return controller
  }
}

/** Of these Node keeps the first value and drops the others: one could be hidden from what stands before the server. */
const firstOnly = /^(?:authorization|content-type|host)$/

/** All values of a header that stands more than once; undefined when it does not. */
function joinRepeated(raw: readonly string[] | undefined, name: string): string | undefined {
  const values = raw?.filter((_, at) => at % 2 === 1 && isNamed(raw[at - 1]!, name))
  return values?.[1] && values.join(', ')
}

const isNamed = (given: string, name: string) => given.length === name.length && given.toLowerCase() === name

/** Path and query of a target: a client may also name scheme and host before them (RFC 9112, section 3.2.2). */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const url = /^https?:/i.test(target) ? URL.parse(target) : null
  return url === null ? target : url.pathname + url.search
}

/**
 * The body as it arrives. When the reader stops early (a body over its limit), the rest is discarded and the
 * connection stays open, so that the caller can finish sending and read the answer.
 */
async function* iterate(request: NodeRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk
  } finally {
    // A request that was read in part is not discarded by Node itself: its caller would wait for ever to send the rest.
    request.resume()
  }
}

/** All of it by events, which cost a fraction of an iterator. What is over the limit is discarded, as above. */
function collect(request: NodeRequest, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    // The request lives until its answer has ended, and its listeners with it: they let go of the body.
    let waiting: { gathered: GatheredBytes; resolve: typeof resolve; reject: typeof reject } | undefined = {
      gathered: gatherBytes(maxBytes),
      resolve,
      reject,
    }
    const end = () => {
      waiting?.resolve(waiting.gathered.bytes())
      waiting = undefined
    }
    // Its events are over then.
    if (request.readableEnded || request.destroyed) end()
    request.on('data', (chunk: Uint8Array) => {
      if (waiting === undefined || waiting.gathered.add(chunk)) return
      waiting.resolve(undefined)
      waiting = undefined
    })
    request.on('end', end)
    // A body that is cut ends with `aborted`, which Node reports as an error of the request.
    request.on('error', (error: unknown) => {
      waiting?.reject(error)
      waiting = undefined
    })
  })
}
