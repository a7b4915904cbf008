import { maxHeaderSize, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** What is wrong with a request that is not HTTP, or not all of it. */
interface Problem {
  readonly status: string
  readonly error: string
  readonly message: string
}

const badRequest = (message: string): Problem => ({
  status: '400 Bad Request',
  error: 'Validation error',
  message,
})
const tooLarge = '431 Request Header Fields Too Large'
const longer =
  'A body may be longer than its Content-Length, or the client uses TLS, which this port does not support.'

const tooLate: Problem = {
  status: '408 Request Timeout',
  error: 'Request timeout',
  message: 'The request did not arrive in time. Send the request again.',
}

const unknownExpectation = {
  error: 'Expectation failed',
  message: 'Expect: only "100-continue" is supported. Remove the header.',
}

/** By the codes of Node. */
const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: {
    status: tooLarge,
    error: 'Headers too large',
    message: `Path and headers are larger than ${maxHeaderSize} bytes. Send less.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: tooLate,
  HPE_INVALID_METHOD: badRequest(`The data does not start with an HTTP request. ${longer}`),
  HPE_CLOSED_CONNECTION: badRequest(`The connection has data after the request. ${longer}`),
  HPE_INVALID_EOF_STATE: badRequest('The connection ended before the request was complete.'),
}

/**
 * Says what is wrong with requests that do not get as far as a handler; Node would give a status alone. What comes behind a
 * whole request does not take its answer away: programs often send a byte more than they say.
 */
export function answerBrokenRequests(server: Server): void {
  /** The last answer of each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => answers.set(request.socket, response))
  server.on('checkExpectation', (_, response) => refuse(response, 417, unknownExpectation))
  server.on('clientError', (error: Error & { code?: string; reason?: unknown }, socket) => {
    const answer = answers.get(socket)
    const isUnderWay = answer !== undefined && !answer.writableFinished && !answer.destroyed
    if (isUnderWay && answer.req.complete && socket.writable) {
      if (answer.listenerCount('close', endConnection) === 0) answer.once('close', endConnection)
      return
    }
    if (socket.writable && !(isUnderWay && answer.headersSent)) socket.write(toAnswer(problemOf(error)))
    socket.destroy()
  })
}

/** Refuses a request whose connection goes on with none. */
export function refuseRequest(response: ServerResponse, message: string): void {
  refuse(response, 400, { error: 'Validation error', message })
}

/** Ends a request of which nothing comes any more; its caller hears why, where no answer to it has begun. */
export function giveUpRequest(response: ServerResponse): void {
  const { socket } = response.req
  if (!response.headersSent && socket.writable) socket.write(toAnswer(tooLate))
  socket.destroy()
}

function refuse(response: ServerResponse, status: number, body: { error: string; message: string }): void {
  const text = JSON.stringify(body)
  const headers = { connection: 'close', 'content-type': jsonType, 'content-length': Buffer.byteLength(text) }
  response.writeHead(status, headers).end(text)
}

const jsonType = 'application/json; charset=utf-8'

function endConnection(this: ServerResponse): void {
  this.req.socket.destroySoon()
}

/** `reason` is one of the parser's own sentences: it quotes nothing of the request. */
function problemOf({ code = '', reason }: { code?: string; reason?: unknown }): Problem {
  const why = typeof reason === 'string' ? `: ${reason}` : ''
  return problems[code] ?? badRequest(`The request is not valid HTTP/1.1${why}.`)
}

function toAnswer({ status, error, message }: Problem): string {
  const text = JSON.stringify({ error, message })
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}
