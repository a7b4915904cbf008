import type { SignalCodec } from '@homeward/kit/postgres'
import * as z from 'zod/mini'
import type { CloudSignal } from '../ports/cloud-signal.ts'

const maxNamesPerMessage = 40

const Message = z.tuple([z.enum(['work', 'keys', 'missed']), z.array(z.string())])

/** How processes of a cloud tell each other of changes: a topic, and who is meant. */
export const signalCodec: SignalCodec<CloudSignal> = {
  encode(signal) {
    if (signal.topic === 'missed') return [[signal.topic, []]]
    const names = signal.topic === 'work' ? signal.deviceIds : signal.hashes
    const messages: z.infer<typeof Message>[] = []
    for (let start = 0; start < names.length; start += maxNamesPerMessage)
      messages.push([signal.topic, names.slice(start, start + maxNamesPerMessage)])
    return messages
  },
  decode(value) {
    const parsed = Message.safeParse(value)
    if (!parsed.success) return undefined
    const [topic, names] = parsed.data
    if (topic === 'work') return { topic, deviceIds: names }
    return topic === 'keys' ? { topic, hashes: names } : { topic }
  },
  missed: [{ topic: 'missed' }],
}
