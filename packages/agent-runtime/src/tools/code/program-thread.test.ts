import { expect, it } from 'vitest'
import { startProgramThread } from './program-thread.ts'

const start = { kind: 'start', tools: ['echo'], seed: 7, now: 0 } as const

it('runs a program in a thread, and gives it the results of its calls', async () => {
  const thread = startProgramThread()
  const code = 'const all = []; for (const n of [1, 2]) all.push(await tools.echo({ n })); all'
  const first = await thread.step({ ...start, code })
  expect(first).toEqual({ calls: [{ index: 0, tool: 'echo', args: '{"n":1}' }] })
  const settled = { kind: 'settle', hasFailed: false, now: 1 } as const
  expect(await thread.step({ ...settled, index: 0, text: '"one"' })).toMatchObject({ calls: [{ index: 1 }] })
  expect(await thread.step({ ...settled, index: 1, text: '"two"' })).toMatchObject({
    end: { kind: 'value', value: '["one","two"]' },
  })
  thread.end()
})

it('does not block this thread, and can be ended while the program works', async () => {
  const thread = startProgramThread()
  const working = thread.step({ ...start, code: 'for (;;);' })
  const ended = expect(working).rejects.toThrow('Running the program failed: its thread ended.')
  await new Promise((resolve) => setImmediate(resolve))
  thread.end()
  await ended
})
