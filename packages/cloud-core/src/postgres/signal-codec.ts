import { deviceCloudEvents, type DeviceCloudEventName } from '@homeward/contract/device-cloud'
import type { SignalCodec } from '@homeward/kit/postgres'
import * as z from 'zod/mini'
import type { CloudSignal } from '../ports/cloud-signal.ts'

/** Values in one message, by topic: a message of Postgres has fewer bytes than 8,000. */
const maxPerMessage = { work: 40, keys: 40, follow: 10, events: 8 } as const

const Event = z.object({
  owner: z.string(),
  name: z.enum(Object.keys(deviceCloudEvents) as DeviceCloudEventName[]),
  data: z.record(z.string(), z.unknown()),
})
const Message = z.union([
  z.tuple([z.enum(['work', 'keys', 'follow', 'tasks', 'missed']), z.array(z.string())]),
  z.tuple([z.literal('events'), z.array(Event)]),
])

/** How processes of a cloud tell each other of changes: a topic, and who is meant. */
export const signalCodec: SignalCodec<CloudSignal> = {
  encode(signal) {
    if (signal.topic === 'missed' || signal.topic === 'tasks') return [[signal.topic, []]]
    const values = valuesOf(signal)
    const most = maxPerMessage[signal.topic]
    const messages: unknown[] = []
    for (let start = 0; start < values.length; start += most)
      messages.push([signal.topic, values.slice(start, start + most)])
    return messages
  },
  decode(value) {
    const parsed = Message.safeParse(value)
    if (!parsed.success) return undefined
    const { data } = parsed
    if (data[0] === 'events') return { topic: 'events', events: data[1] }
    const [topic, names] = data
    if (topic === 'work') return { topic, deviceIds: names }
    if (topic === 'follow') return { topic, owners: names }
    return topic === 'keys' ? { topic, hashes: names } : { topic }
  },
  missed: [{ topic: 'missed' }],
}

function valuesOf(signal: Exclude<CloudSignal, { readonly topic: 'missed' | 'tasks' }>): readonly unknown[] {
  if (signal.topic === 'work') return signal.deviceIds
  if (signal.topic === 'keys') return signal.hashes
  return signal.topic === 'follow' ? signal.owners : signal.events
}
