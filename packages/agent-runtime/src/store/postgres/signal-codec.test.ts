import { expect, it } from 'vitest'
import type { StoreSignal } from '../ports/store-signal.ts'
import { signalCodec } from './create-postgres-store.ts'

const { encode, decode, missed } = signalCodec

it('reads what it writes, and nothing else', () => {
  const signals: readonly StoreSignal[] = [...missed, { topic: 'run', runId: 'r 1' }]
  expect(signals.flatMap(encode).map(decode)).toEqual(signals)
  for (const value of [undefined, 5, '', 'news', ['task']]) expect(decode(value)).toBeUndefined()
})
