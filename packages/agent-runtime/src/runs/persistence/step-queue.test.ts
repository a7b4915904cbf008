import { expect, it } from 'vitest'
import { silentLogger } from '../../ports/logger.ts'
import type { RunStepWrite } from '../../store/ports/run-store.ts'
import { LostRun } from '../run-interrupts.ts'
import type { RunsContext } from '../runs-options.ts'
import { createStepQueue, type Step } from './step-queue.ts'

type Answer = boolean | Error | Promise<boolean>

/** A queue over a store that gives these answers, one a write; and what was written and kept. */
function openQueue(answers: Answer[]) {
  const written: string[] = []
  const kept: string[] = []
  const store = {
    async saveRunStep({ runId, isRepeat }: RunStepWrite) {
      written.push(isRepeat ? `${runId} again` : runId)
      const answer = answers.shift() ?? true
      if (answer instanceof Error) throw answer
      return answer
    },
    findRun: async () => undefined,
    // of a store, only these are called
  } as unknown as RunsContext['store']
  const queue = createStepQueue({ store, logger: silentLogger, random: () => 0 })
  const stepOf = (runId: string) => (): Step => ({
    write: { runId, progress: { turns: 1 } } as RunStepWrite, // what a queue reads of it
    onKept: () => void kept.push(runId),
  })
  return { queue, stepOf, written, kept }
}

it('makes the write that failed again, as it was, before any other', async () => {
  const { queue, stepOf, written, kept } = openQueue([new Error('down')])
  await expect(queue.writeOnce(stepOf('a'))).rejects.toThrow('down')
  await queue.write(stepOf('b'))
  expect([written, kept]).toEqual([
    ['a', 'a again', 'b'],
    ['a', 'b'],
  ])
})

it('asks for a write once those before are made', async () => {
  const gate = Promise.withResolvers<boolean>()
  const { queue, stepOf, written } = openQueue([gate.promise])
  const first = queue.writeOnce(stepOf('a'))
  const second = queue.write(stepOf('b'))
  await Promise.resolve()
  expect(written).toEqual(['a'])
  gate.resolve(true)
  await Promise.all([first, second])
  expect(written).toEqual(['a', 'b'])
})

it('writes nothing more behind a write that says that the run is lost', async () => {
  const { queue, stepOf, written } = openQueue([false])
  const first = queue.writeOnce(stepOf('a'))
  const second = queue.write(stepOf('b'))
  await expect(first).rejects.toBeInstanceOf(LostRun)
  await expect(second).rejects.toBeInstanceOf(LostRun)
  expect(written).toEqual(['a'])
})

it('gives the write back that the store turns out not to have', async () => {
  const { queue, stepOf, kept } = openQueue([new Error('down'), new Error('down')])
  await queue.writeOnce(stepOf('a')).catch(() => {})
  expect(await queue.settle()).toMatchObject({ runId: 'a' })
  expect(await queue.settle()).toBeUndefined()
  expect(kept).toEqual([])
})
