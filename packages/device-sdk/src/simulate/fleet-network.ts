import type { PlainReply, RequestView } from '@homeward/contract/handler'
import { sleep, onAbort, linkSignals } from '@homeward/kit'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { FleetFault } from './fleet-fault.ts'
import type { DeviceCall, FleetLog } from './fleet-log.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What lies between the devices and the cloud, and goes wrong. */
export interface FleetNetwork {
  /** Carries one request. @throws {DeviceCloudError} `UNREACHABLE`, `TIMEOUT`; the signal's reason on abort. */
  send(device: number, call: DeviceCall, request: NetworkRequest, signal: AbortSignal): Promise<PlainReply>
  begin(fault: FleetFault): void
  end(fault: FleetFault): void
}

/** Builds a request whose answer nobody waits for any more once `signal` aborts. */
type NetworkRequest = (signal: AbortSignal) => RequestView

/** What a network is made of. */
interface NetworkSetup {
  readonly clock: VirtualClock
  readonly random: () => number
  readonly log: FleetLog
  readonly respond: (request: RequestView) => Promise<PlainReply>
}

/** A device gives up then (C22: above the longest held poll). */
const timeoutSeconds = 90

/** Why the cloud ends a poll that it holds. */
const letGo = new Error('The simulated cloud ends its long polls')

function errorReply(status: number, error: string, retryAfterSeconds?: number): PlainReply {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }
  return { status, headers, body: JSON.stringify({ error }) }
}

/** Builds a network without faults. */
export function createFleetNetwork({ clock, random, log, respond }: NetworkSetup): FleetNetwork {
  const faults = new Set<FleetFault>()
  // One for all: a trace for each of a million refused requests would cost more than the requests.
  const unreachable = new DeviceCloudError('UNREACHABLE', 'The simulated cloud cannot be reached.')
  // One for each agent's signal, until it breaks: a connection carries many requests, as a kept-alive one does.
  const connections = new Map<AbortSignal, AbortController>()

  function connect(signal: AbortSignal): AbortController {
    const known = connections.get(signal)
    if (known) return known
    const connection = new AbortController()
    linkSignals(connection.signal)
    connections.set(signal, connection)
    onAbort(signal, () => {
      connections.delete(signal)
      connection.abort(signal.reason)
    })
    return connection
  }

  const hits = (fault: FleetFault) => {
    const { share = 1 } = fault as { readonly share?: number }
    return share >= 1 || random() < share
  }

  /** The answer of whatever stands in front of the cloud; undefined when the request gets through. */
  function refuse(): PlainReply | undefined {
    for (const fault of faults) {
      if (fault.kind === 'outage') {
        if (fault.retryAfterSeconds === undefined) throw unreachable
        return errorReply(503, 'Failed to process request', fault.retryAfterSeconds)
      }
      if (fault.kind === 'unauthorized') return errorReply(401, 'Invalid or missing API key')
      if (fault.kind === 'server-errors' && hits(fault)) {
        return errorReply(fault.status ?? 500, 'Failed to process request', fault.retryAfterSeconds)
      }
      if (fault.kind === 'rate-limited' && hits(fault)) {
        return errorReply(429, 'Rate limit exceeded', fault.retryAfterSeconds ?? 1)
      }
    }
    return undefined
  }

  /** What becomes of an answer that the cloud gave. */
  async function spoil(signal: AbortSignal): Promise<void> {
    for (const fault of faults) {
      if (fault.kind === 'lost-answers' && hits(fault)) throw unreachable
      if (fault.kind !== 'slow-answers' || !hits(fault)) continue
      await sleep(Math.min(fault.delaySeconds, timeoutSeconds) * 1000, signal, clock.timers)
      signal.throwIfAborted()
      if (fault.delaySeconds >= timeoutSeconds) {
        throw new DeviceCloudError('TIMEOUT', 'The simulated cloud sent no complete response in time.')
      }
    }
  }

  async function carry(device: number, call: DeviceCall, request: NetworkRequest, signal: AbortSignal) {
    const refused = faults.size > 0 ? refuse() : undefined
    if (refused) return refused
    log.reach(device, call)
    if (!call.startsWith('list') && call !== 'takeWork') return respond(request(signal))
    const connection = connect(signal)
    const reply = await respond(request(connection.signal))
    if (connection.signal.aborted && connection.signal.reason !== letGo) throw connection.signal.reason
    return reply
  }

  return {
    async send(device, call, request, signal) {
      log.arrive(call)
      try {
        const reply = await carry(device, call, request, signal)
        if (faults.size > 0) await spoil(signal)
        log.answer(device, call, reply.status)
        return reply
      } catch (error) {
        if (!signal.aborted) log.answer(device, call, 0)
        throw error
      }
    },
    begin(fault) {
      faults.add(fault)
      if (fault.kind !== 'outage') return
      // A cloud that lets go answers: its caller sees an empty list, early.
      const broken = Array.from(connections.values())
      connections.clear()
      for (const connection of broken) connection.abort(fault.letsGo ? letGo : unreachable)
    },
    end: (fault) => void faults.delete(fault),
  }
}
