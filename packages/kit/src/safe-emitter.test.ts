import { expect, it, vi } from 'vitest'
import { createSafeEmitter } from './safe-emitter.ts'

it('calls every listener, whatever the others throw or reject with', async () => {
  const onError = vi.fn()
  const { events, emit } = createSafeEmitter<{ beat: (count: number) => void }>(onError)
  const heard = vi.fn()
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')]
  events.on('beat', () => {
    throw thrown
  })
  // what a listener without types may be
  // oxlint-disable-next-line typescript/no-misused-promises
  events.on('beat', async () => {
    throw rejected
  })
  events.once('beat', heard)
  emit('beat', 1)
  emit('beat', 2)
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(4))
  expect(heard.mock.calls).toEqual([[1]])
  expect(onError.mock.calls.filter(([error]) => error === thrown)).toEqual([
    [thrown, 'beat'],
    [thrown, 'beat'],
  ])
})

it('lets a listener be taken away', () => {
  const { events, emit } = createSafeEmitter<{ beat: () => void }>(() => {})
  const heard = vi.fn()
  events.on('beat', heard)
  events.off('beat', heard)
  emit('beat', undefined)
  expect(heard).not.toHaveBeenCalled()
})
