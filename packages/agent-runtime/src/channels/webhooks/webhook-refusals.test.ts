import { expect, it } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createTestChannel, toRequest } from '../testing/test-channel.ts'

it('A1: the status says that the last webhook request was refused and why, until one is taken', async () => {
  await using runtime = createRuntime({
    environment: {},
    channels: [createTestChannel({ agentId: 'parrot', access: 'pairing' })],
    now: () => Date.parse('2026-11-01T09:00:00.000Z'),
  })
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.channels.setSender('test', 'somebody', { status: 'allowed' })
  const warnings = async () => (await runtime.channels.status('test')).warnings
  expect(await warnings()).toEqual([])
  const forged = toRequest({ text: 'Hello' }, { 'x-test-secret': 'wrong' })
  expect(await runtime.channels.receive('test', forged)).toEqual({ status: 401 })
  expect(await warnings()).toEqual([
    'The last webhook request was rejected at 2026-11-01T09:00:00.000Z: no secret.',
  ])
  expect(await runtime.channels.status('test')).toMatchObject({ ok: true })
  await runtime.channels.receive('test', toRequest({ text: 'Hello' }))
  expect(await warnings()).toEqual([])
})
