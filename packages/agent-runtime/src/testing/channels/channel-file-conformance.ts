import { type ConformanceCase, expectSame, race } from '@homeward/kit/testing'
import type { LoadedInput } from '../../store/ports/channel-input.ts'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import { at, oddText } from '../conformance-fixtures.ts'
import { claimOf } from '../tasks/task-fixtures.ts'
import { pruneAll } from '../retention-accounts.ts'
import { sentOf } from './channel-chat-conformance.ts'
import {
  accept,
  acceptanceOf,
  type ChannelConformanceStore,
  deliveryClaim,
  deliveryWrite,
} from './channel-fixtures.ts'

const stored = { id: 'f1', name: oddText, media_type: 'image/png', bytes: 2, sha256: 'a'.repeat(64) }
const files = [
  { kind: 'picture', name: oddText, reference: { file_id: oddText } },
  { kind: 'voice message', bytes: 2, stored },
] as const

/** What message `m1` has become for owner `o1`. */
export function loadedOf(changes: Partial<LoadedInput> = {}): LoadedInput {
  const whole = { messageId: 'm1', taskId: 'task m1', owner: 'o1', text: `said ${oddText}` }
  return { ...whole, input: `[Ann]: said ${oddText}`, files: [stored], ...changes }
}

/** What a `ChannelStore` promises about files of messages. */
export const channelFileConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  storeCase('A1: stores what files of a message have become, once, in its task too', async (store) => {
    const contents = [{ sha256: stored.sha256, content: Uint8Array.of(1, 2) }]
    const acceptance = acceptanceOf('m1', { files }, { task: { files: [stored] } })
    const { message, task } = acceptance.entry!
    await accept(store, { ...acceptance, entry: { message, task: { ...task!, contents } } })
    expectSame((await store.findChannelMessage('m1'))?.files, files, 'the files as they came in')
    expectSame((await store.findFile('f1'))?.content.length, 2, 'bytes that came along')
    expectSame(await store.saveLoadedInput(loadedOf()), false, 'a write before the task was taken')
    await store.claimTasks(claimOf())
    expectSame(await store.saveLoadedInput(loadedOf({ owner: 'o2' })), false, 'a write of another owner')
    expectSame(await store.saveLoadedInput(loadedOf({ taskId: 'task m2' })), false, 'one for another task')
    expectSame(await store.saveLoadedInput(loadedOf({ messageId: 'm2' })), false, 'one for another message')
    expectSame((await store.findTask('task m1'))?.input, oddText, 'the task so far')
    const writes = await race(() => store.saveLoadedInput(loadedOf()))
    expectSame(new Set(writes), new Set([true]), 'writes of the owner')
    const { text, input, files: loaded } = loadedOf()
    const task1 = await store.findTask('task m1')
    expectSame({ input: task1?.input, files: task1?.files }, { input, files: loaded }, 'the task')
    expectSame(task1?.status, 'running', 'its status')
    const kept = await store.findChannelMessage('m1')
    expectSame({ text: kept?.text, files: kept?.files }, { text, files: undefined }, 'the message')
    expectSame(kept?.target, message.target, 'the rest of it')
    await store.setTaskRun('task m1', 'o1', 'r1')
    expectSame(
      await store.saveLoadedInput(loadedOf({ input: 'other' })),
      false,
      'a write after the run has begun',
    )
    expectSame((await store.findTask('task m1'))?.input, input, 'what the run reads')
  }),
  storeCase('A14: deletes the files of a sent message with it, and of no other', async (store) => {
    for (const id of ['old', 'new', 'open']) {
      const sha256 = id.charCodeAt(0).toString(16).padStart(64, '0')
      const sentFiles = [
        { ...stored, id: `${id} own`, sha256 },
        { ...stored, id: `${id} shared` },
      ]
      const contents = [sha256, stored.sha256].map((hash) => ({ sha256: hash, content: Uint8Array.of(1, 2) }))
      await store.sendChannelMessage({ ...sentOf(id, { conversationId: id, sentFiles }), contents })
    }
    await store.claimDeliveries(deliveryClaim())
    for (const [id, second] of [
      ['old', 11],
      ['new', 12],
    ] as const) {
      const outcome = { kind: 'ended', status: 'delivered' } as const
      await store.saveDelivery(deliveryWrite(id, { now: at(second), outcome }))
    }
    const isStored = async (id: string) => (await store.findFile(id)) !== undefined
    const left = async () =>
      Promise.all(['old own', 'old shared', 'new own', 'new shared', 'open own'].map(isStored))
    await pruneAll(store, { runsBefore: at(11) })
    expectSame(await left(), [true, true, true, true, true], 'the files before their time')
    await pruneAll(store, { runsBefore: at(12) })
    expectSame(await left(), [false, false, true, true, true], 'the files then')
    expectSame((await store.findFile('new shared'))?.content.length, 2, 'bytes that two messages share')
    await pruneAll(store, { runsBefore: at(1000) })
    expectSame(await left(), [false, false, false, false, true], 'the files in the end')
  }),
]
