import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for their turn; it ends with one more. */
const maxWaiting = 100

interface Turns {
  /** The answer behind which the next one comes; undefined when none is awaited. */
  last: ServerResponse | undefined
  waiting: number
}

/**
 * Has the requests of a connection served one after the other. They may be sent without waiting for their answers, and Node
 * would begin all of them at once: for a client that reads none, thousands of large answers would wait in memory.
 *
 * Every request of every device comes by here: what is kept of a connection is made once, and a listener is not wrapped.
 */
export function takeTurns(serve: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Turns>()
  return (request, response) => {
    const { socket } = request
    let turns = connections.get(socket)
    if (turns === undefined) {
      turns = { last: undefined, waiting: 0 }
      connections.set(socket, turns)
    }
    const { last } = turns
    if (last !== undefined && turns.waiting === maxWaiting) {
      socket.destroy()
      return
    }
    turns.last = response
    response.on('close', forgetLast)
    if (last === undefined) serve(request, response)
    else waitBehind(last, turns, () => serve(request, response))
  }

  function forgetLast(this: ServerResponse): void {
    const turns = connections.get(this.req.socket)
    if (turns?.last === this) turns.last = undefined
  }
}

function waitBehind(last: ServerResponse, turns: Turns, begin: () => void): void {
  turns.waiting += 1
  last.once('close', () => {
    turns.waiting -= 1
    if (!last.req.socket.destroyed) begin()
  })
}
