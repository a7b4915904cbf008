import * as z from 'zod/mini'
import type { CloudSignal } from '../ports/cloud-signal.ts'

/** A message of Postgres has fewer bytes than 8000. */
const maxBytes = 7900
const maxPerPayload = 40

const Payload = z.tuple([z.string(), z.enum(['work', 'keys', 'missed']), z.array(z.string())])

/** Signals as messages that fit, each with its sender. Who cannot be named in one is told to look. */
export function toPayloads(signals: readonly CloudSignal[], sender: string): readonly string[] {
  return signals.flatMap((signal) => {
    const names = namesOf(signal)
    const missed = [JSON.stringify([sender, 'missed', []])]
    if (signal.topic === 'missed') return missed
    const payloads: string[] = []
    for (let start = 0; start < names.length; start += maxPerPayload)
      payloads.push(JSON.stringify([sender, signal.topic, names.slice(start, start + maxPerPayload)]))
    return payloads.some((payload) => Buffer.byteLength(payload) > maxBytes) ? missed : payloads
  })
}

/** Reads a message; undefined for one's own. What is not understood may mean anything. */
export function toSignal(payload: string, self: string): CloudSignal | undefined {
  const parsed = Payload.safeParse(parse(payload))
  if (!parsed.success) return { topic: 'missed' }
  const [sender, topic, names] = parsed.data
  if (sender === self) return undefined
  if (topic === 'work') return { topic, deviceIds: names }
  return topic === 'keys' ? { topic, hashes: names } : { topic }
}

function namesOf(signal: CloudSignal): readonly string[] {
  if (signal.topic === 'work') return signal.deviceIds
  return signal.topic === 'keys' ? signal.hashes : []
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
