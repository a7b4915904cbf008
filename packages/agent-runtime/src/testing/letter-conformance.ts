import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { confusableStrings, edgeCaseJson, type ConformanceCase, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import {
  agentOf,
  appendOf,
  at,
  journalOf,
  leaseOf,
  memoryOf,
  messageOf,
  runOf,
  stepOf,
} from './conformance-fixtures.ts'
import { accept, acceptanceOf } from './channels/channel-fixtures.ts'
import { taskOf } from './tasks/task-fixtures.ts'

/** Promises of `RuntimeStore` about texts, values and times: they are what they are. */
export const exactValueCases: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('tells ids and users apart to the letter', async (store) => {
    for (const id of confusableStrings) {
      const user = { conversationId: id, userId: id }
      await store.insertAgent(agentOf(id))
      await store.insertRun(runOf(id, user), leaseOf(), [])
      await store.insertTask(taskOf(id), [])
      await store.appendMessages(appendOf([`of ${id}`], user))
      await store.writeMemory(memoryOf(id, 'pear', { userId: id }))
      await store.reserveBudget({ id, accounts: [{ key: id }], tokens: 1, microUsd: 1 })
    }
    for (const id of confusableStrings) {
      const what = `what is kept under ${JSON.stringify(id)}`
      const memories = await store.searchMemories({ text: 'pear', userId: id, limit: 9, now: at(1) })
      const found = [
        (await store.findAgent(id))?.id,
        (await store.findRun(id))?.id,
        (await store.findTask(id))?.id,
        ...(await store.listRuns({ conversationId: id }, { limit: 9 })).rows.map((run) => run.id),
        ...(await store.listConversations({ userId: id }, { limit: 9 })).rows.map((row) => row.id),
        ...memories.map(({ memory }) => memory.id),
      ]
      expectSame(found, [id, id, id, id, id, id], what)
      expectSame((await store.readBudget(id)).tokens, 1, `what was drawn from ${JSON.stringify(id)}`)
    }
  }),
  storeCase('tells keys of repeats apart to the letter', async (store) => {
    for (const [index, key] of confusableStrings.entries()) {
      const what = `whether ${JSON.stringify(key)} is new`
      const run = await store.insertRun(runOf(`r${index}`, { idempotencyKey: key }), leaseOf(), [])
      const task = await store.insertTask(taskOf(`t${index}`, { idempotencyKey: key }), [])
      const accepted = await accept(store, acceptanceOf(`m${index}`, {}, { keys: [key] }))
      expectSame([run.created, task.created, accepted], [true, true, [true]], what)
    }
  }),
  storeCase('keeps values and times to the letter, and texts as long as they may be', async (store) => {
    const now = at(0.001)
    const long = 'ä'.repeat(999_999) + ' '
    await store.appendEvents([journalOf('r1', { timestamp: now, data: edgeCaseJson })])
    const [event] = await store.listEvents({ limit: 1 })
    expectSame([event?.timestamp, event?.data], [now, edgeCaseJson], 'the event')
    await store.insertRun(runOf('r1', { task: long, metadata: edgeCaseJson, createdAt: now }), leaseOf(), [])
    const call = { type: 'tool_call', id: 'k1', name: 'time', args: edgeCaseJson } as const
    await store.saveRunStep(stepOf('r1', { messages: [{ role: 'assistant', parts: [call] }] }))
    const run = await store.findRun('r1')
    expectSame([run?.metadata, run?.createdAt], [edgeCaseJson, now], 'the run')
    expectSame(run?.task === long, true, 'whether a long task is whole')
    expectSame(await store.listRunMessages('r1'), [{ role: 'assistant', parts: [call] }], 'the message')
    await store.appendMessages(appendOf([], { messages: [messageOf('m1', long)], now }))
    const { rows } = await store.listMessages('c1', { limit: 9 })
    expectSame(rows[0]?.createdAt, now, 'the time of a message')
    expectSame(JSON.stringify(rows[0]?.message).includes(long), true, 'whether a long message is whole')
    const task = taskOf('t1', { metadata: edgeCaseJson, createdAt: now, runAt: at(0.002) })
    await store.insertTask(task, [])
    const kept = await store.findTask('t1')
    expectSame([kept?.metadata, kept?.createdAt, kept?.runAt], [edgeCaseJson, now, at(0.002)], 'the task')
  }),
]
