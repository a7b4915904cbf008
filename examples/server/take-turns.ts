import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for their turn; it ends with one more. */
const maxWaiting = 100

interface Turns {
  /** The answer behind which the next one comes. */
  last: ServerResponse
  waiting: number
}

/**
 * Has the requests of a connection served one after the other. They may be sent without waiting for their answers, and Node
 * would begin all of them at once: for a client that reads none, thousands of large answers would wait in memory.
 */
export function takeTurns(serve: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Turns>()
  return (request, response) => {
    const { socket } = request
    const turns = connections.get(socket)
    if (turns === undefined) {
      connections.set(socket, { last: response, waiting: 0 })
      response.once('close', forgetLast)
      serve(request, response)
      return
    }
    if (turns.waiting === maxWaiting) {
      socket.destroy()
      return
    }
    turns.waiting += 1
    turns.last.once('close', () => {
      turns.waiting -= 1
      if (!socket.destroyed) serve(request, response)
    })
    turns.last = response
    response.once('close', forgetLast)
  }

  function forgetLast(this: ServerResponse): void {
    const { socket } = this.req
    if (connections.get(socket)?.last === this) connections.delete(socket)
  }
}
