import type { SignalCodec } from '@homeward/kit/postgres'
import type { StoreSignal } from '../ports/store-signal.ts'

/** How processes of a runtime tell each other of changes: `journal`, `run <id>`, ... */
export const signalCodec: SignalCodec<StoreSignal> = {
  encode: (signal) => [signal.topic === 'run' ? `run ${signal.runId}` : signal.topic],
  decode(value) {
    if (value === 'journal' || value === 'task' || value === 'definition') return { topic: value }
    if (typeof value !== 'string' || !value.startsWith('run ')) return undefined
    return { topic: 'run', runId: value.slice('run '.length) }
  },
  missed: [{ topic: 'journal' }, { topic: 'task' }, { topic: 'definition' }],
}
