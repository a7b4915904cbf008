import { expect, it } from 'vitest'
import { createRuntime } from './create-runtime.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

it('goes on with tasks when the host cannot write down what went wrong', async () => {
  const inner = createTestStore()
  let isDown = true
  const told: string[] = []
  const fail = (message: string) => {
    told.push(message)
    throw new Error('the disk of the log is full')
  }
  const runtime = createRuntime({
    store: {
      ...inner,
      claimTasks: async (...given) => {
        if (!isDown) return inner.claimTasks(...given)
        isDown = false
        throw new RuntimeError('storage_error', 'Writing failed', { retryable: true })
      },
    },
    logger: { warn: fail, error: fail },
  })
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  const ended = new Promise((resolve) => runtime.events.on('task.completed', resolve))
  await runtime.tasks.create({ agent_id: 'parrot', task: 'Hello' })
  await ended
  expect(told).toContain('Claiming tasks failed.')
  await runtime.close()
})
